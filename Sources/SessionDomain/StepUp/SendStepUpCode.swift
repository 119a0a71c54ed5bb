/// The intent to open a challenge. A store performs it in one transaction: end the oldest open challenges of the session
/// beyond `StepUpChallenge.maximumPerSession - 1`, then insert.
package struct OpenChallenge: Sendable {
    package let challenge: StepUpChallenge

    package init(challenge: StepUpChallenge) { self.challenge = challenge }
}

/// The intent to send the code of a challenge's current step. A store performs it in one transaction:
///
/// 1. read the challenge with its session and user, and ask `admit`;
/// 2. read the verification filed under the challenge's `verificationKey` and ask `decide`;
/// 3. for a first code take one from the identifier's `otpStarts` counter (`.limited` when it is used up);
/// 4. store the verification.
package struct SendStepUpCode: Sendable {
    package let appID: AppID
    package let reference: ChallengeReference
    package let limits: OTPLimits
    package let now: Timestamp
    /// Makes the row for a first code to an identifier.
    package let verification: @Sendable (StepUpChallenge, CanonicalIdentifier) -> Verification
    /// The keyed hash of the new code for this challenge.
    package let codeHash: @Sendable (StepUpChallenge) -> String

    package init(
        appID: AppID, reference: ChallengeReference, limits: OTPLimits, now: Timestamp,
        verification: @escaping @Sendable (StepUpChallenge, CanonicalIdentifier) -> Verification,
        codeHash: @escaping @Sendable (StepUpChallenge) -> String
    ) {
        self.appID = appID
        self.reference = reference
        self.limits = limits
        self.now = now
        self.verification = verification
        self.codeHash = codeHash
    }

    /// The challenge, and where its code goes. No proof is asked for: the code goes to the user, not to the caller.
    package func admit(
        challenge: StepUpChallenge?, session: Session?, user: User?
    ) -> Result<(StepUpChallenge, CanonicalIdentifier), Refusal> {
        let proven = ChallengeReference(
            id: reference.id, tokenID: reference.tokenID, sessionID: reference.sessionID, userID: reference.userID,
            expiresAt: reference.expiresAt, proofThumbprint: session?.keyThumbprint, heldSessionID: session?.id)
        if let refusal = proven.refusal(challenge: challenge, session: session, user: user, now: now) {
            return .failure(refusal)
        }
        guard let challenge, let user, let type = challenge.currentStep?.identifierType else {
            return .failure(.stepNotFound)
        }
        guard let identifier = challenge.newIdentifier ?? user.identifiers.first(where: { $0.type == type }) else {
            return .failure(.scopeIdentifierMismatch)
        }
        return .success((challenge, identifier))
    }

    package func decide(
        _ challenge: StepUpChallenge, current: Verification?, identifier: CanonicalIdentifier
    ) -> SendStepUpDecision {
        guard let current else { return .start(verification(challenge, identifier)) }
        let resend = ResendCode(
            appID: appID, tokenHash: current.tokenHash, limits: limits, newCodeHash: codeHash(challenge), now: now)
        switch resend.decide(current) {
        case .send(let next): return .resend(next)
        case .limited(let until): return .limited(until: until)
        case .unknown: return .start(verification(challenge, identifier))
        }
    }
}

package enum SendStepUpDecision: Sendable, Equatable {
    /// Take one from `otpStarts`, then store this in place of any older one.
    case start(Verification)
    /// Store this in place of the running one.
    case resend(Verification)
    case limited(until: Timestamp)
}

package enum SendStepUpOutcome: Sendable, Equatable {
    case send(Verification)
    case limited(until: Timestamp)
    case refused(Refusal)
}

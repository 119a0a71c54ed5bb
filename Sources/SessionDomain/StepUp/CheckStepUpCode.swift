/// The intent to do a step with a code. A store performs it in one transaction:
///
/// 1. read the challenge with its session and user, and ask `reference.refusal`; stop when there is one;
/// 2. read the verification under the challenge's `verificationKey` and ask `precheck`; unless it says `.count`, stop
///    with `.wrong` and count nothing, for nothing was guessed at;
/// 3. take one from the identifier's `otpFailedChecks` counter (`.limited` when it is used up), and write the
///    verification with one check more and the challenge with one wrong code more: counted before comparing;
/// 4. `isRight`: if not, keep what was counted and answer `.wrong`;
/// 5. if right: delete the verification, clear the counter, attach `newIdentifier` to the user if the challenge has one
///    (somebody has it: delete the challenge, `.identifierTaken`), and write the challenge `advanced`.
package struct CheckStepUpCode: Sendable {
    package let appID: AppID
    package let reference: ChallengeReference
    /// Keyed hashes of the code entered, for a verification filed under a key.
    package let codeHashes: @Sendable (_ verificationKey: String) -> [String]
    package let limits: OTPLimits
    package let nextTokenID: String
    package let now: Timestamp
    package let events: EventFactory

    package init(
        appID: AppID, reference: ChallengeReference, codeHashes: @escaping @Sendable (String) -> [String],
        limits: OTPLimits, nextTokenID: String, now: Timestamp, events: EventFactory
    ) {
        self.appID = appID
        self.reference = reference
        self.codeHashes = codeHashes
        self.limits = limits
        self.nextTokenID = nextTokenID
        self.now = now
        self.events = events
    }

    /// The check of the code itself, by the same rules as a login's.
    package func codeCheck(of challenge: StepUpChallenge) -> CheckCode {
        CheckCode(
            appID: appID, tokenHash: challenge.verificationKey, codeHashes: codeHashes(challenge.verificationKey),
            limits: limits, signUp: false, newUserID: "", now: now, events: events)
    }

    /// The challenge with one wrong code more.
    package func counted(_ challenge: StepUpChallenge) -> StepUpChallenge {
        var next = challenge
        next.wrongCodes += 1
        return next
    }

    package func advanced(_ challenge: StepUpChallenge) -> StepUpChallenge {
        challenge.advanced(tokenID: nextTokenID, at: now)
    }
}

package enum StepOutcome: Sendable, Equatable {
    case advanced(StepUpChallenge)
    case wrong
    case limited(until: Timestamp)
    case identifierTaken
    case refused(Refusal)
}

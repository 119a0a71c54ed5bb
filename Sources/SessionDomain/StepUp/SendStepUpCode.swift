/// Sends the code of a challenge's current step.
package struct SendStepUpCode: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    package let limits: OTPLimits
    package let now: Timestamp
    /// Makes the row for a first code to an identifier.
    package let verification: @Sendable (StepUpChallenge, CanonicalIdentifier) -> Verification
    /// The keyed hash of the new code for this challenge.
    package let codeHash: @Sendable (StepUpChallenge) -> String
    /// Reports the code, and a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, reference: ChallengeReference, limits: OTPLimits, now: Timestamp, events: EventFactory? = nil,
        verification: @escaping @Sendable (StepUpChallenge, CanonicalIdentifier) -> Verification,
        codeHash: @escaping @Sendable (StepUpChallenge) -> String
    ) {
        self.appID = appID
        self.reference = reference
        self.limits = limits
        self.now = now
        self.verification = verification
        self.codeHash = codeHash
        self.events = events
    }

    package var facts: FactQuery { reference.facts(app: appID) { $0.verification = .ofChallenge } }

    package func decide(_ facts: Facts) -> Decision<SendStepUpOutcome> {
        switch admit(challenge: facts.challenge, session: facts.session, user: facts.user) {
        case .failure(let refusal): return Decision(.refused(refusal))
        case .success((let challenge, let identifier)): return send(challenge, to: identifier, facts)
        }
    }

    private func send(
        _ challenge: StepUpChallenge, to identifier: CanonicalIdentifier, _ facts: Facts
    ) -> Decision<SendStepUpOutcome> {
        let current = facts.verification
        let session = BudgetOwner.session(id: challenge.sessionID, userID: challenge.userID)
        let budget = CallBudget(.resend, limits: limits, device: nil, now: now)
        let others = BudgetOwner.owners(of: challenge, user: facts.user).dropFirst()
        // A code to an identifier that the user does not have yet is one of the strangers' messages.
        let sends =
            budget.sends(of: session, to: identifier, inShareOf: others.first) + others.flatMap { budget.sends(of: $0) }
        let subject = LoginSubject(identifier, of: challenge)
        let event = events.map { [Change.append($0.codeSent(to: subject))] } ?? []
        func decision(_ counters: [FactQuery.CounterSelector], _ next: Verification, _ changes: [Change])
            -> Decision<SendStepUpOutcome>
        {
            if let limit = facts.reached(counters) {
                return Decision(
                    .exhausted(limit),
                    events?.loginLimited(limit, LoginMethod(codeTo: identifier.type), of: subject, facts) ?? [])
            }
            return Decision(.send(next), counters.map { $0.counted(app: appID) } + changes + event)
        }
        do throws(Refusal) { try limits.requireAllowed(identifier) } catch { return Decision(.refused(error)) }
        switch decide(challenge, current: current, identifier: identifier) {
        case .limited(let until): return Decision(.limited(until: until))
        case .resend(let running, let next):
            return decision(sends, next, [.replaceVerification(running, with: next)])
        case .start(let first):
            let replaced: [Change] = current.map { [.deleteVerification($0)] } ?? []
            return decision(
                [budget.counter(.starts(session), limits.starts)] + sends, first,
                replaced + [.insertVerification(first)])
        }
    }

    /// The challenge, and the identifier its code goes to. A proof is not required: the code goes to the user, not to the
    /// caller.
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
        let recipient =
            challenge.identifierOfStep ?? user.establishedIdentifiers(at: now).first { $0.type == type }
        guard let identifier = recipient else { return .failure(.scopeIdentifierMismatch) }
        return .success((challenge, identifier))
    }

    /// Decides which verification carries the code: the running one with a new code, or a new one.
    package func decide(
        _ challenge: StepUpChallenge, current: Verification?, identifier: CanonicalIdentifier
    ) -> SendStepUpDecision {
        guard let current else { return .start(verification(challenge, identifier)) }
        let resend = ResendCode(
            appID: appID, tokenHash: current.tokenHash, limits: limits, newCodeHash: codeHash(challenge), now: now)
        switch resend.decide(current) {
        case .send(let next): return .resend(current, with: next)
        case .limited(let until): return .limited(until: until)
        case .unknown: return .start(verification(challenge, identifier))
        }
    }
}

package enum SendStepUpDecision: Sendable, Equatable {
    /// Count a start, then store this verification in place of an older one.
    case start(Verification)
    /// Replace the running verification.
    case resend(Verification, with: Verification)
    case limited(until: Timestamp)
}

package enum SendStepUpOutcome: Sendable, Equatable {
    case send(Verification)
    /// This verification sends no code until then.
    case limited(until: Timestamp)
    /// A budget is spent.
    case exhausted(ReachedLimit)
    case refused(Refusal)
}

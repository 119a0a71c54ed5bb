/// Queues the code of a challenge's current step.
package struct SendStepUpCode: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    package let limits: OTPLimits
    package let now: Timestamp
    package let draft: MessageDraft
    /// Issues a code for the verification with this key.
    package let code: @Sendable (_ verificationKey: String) -> IssuedCode
    /// Reports a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, reference: ChallengeReference, limits: OTPLimits, now: Timestamp, draft: MessageDraft,
        events: EventFactory? = nil, code: @escaping @Sendable (_ verificationKey: String) -> IssuedCode
    ) {
        self.appID = appID
        self.reference = reference
        self.limits = limits
        self.now = now
        self.draft = draft
        self.code = code
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
        let sends =
            budget.sends(of: session, to: identifier, addsIdentifier: !others.isEmpty)
            + others.flatMap { budget.sends(of: $0) }
        let subject = LoginSubject(identifier, of: challenge)
        func decision(_ counters: [FactQuery.CounterSelector], _ next: Verification, _ changes: [Change])
            -> Decision<SendStepUpOutcome>
        {
            if let limit = facts.reached(counters) {
                let report =
                    events?.loginLimited(limit, LoginMethod(codeTo: identifier.type), of: subject, facts) ?? []
                return Decision(.exhausted(limit.reported(by: report)), report)
            }
            let message = draft.code(of: next, for: subject, at: now)
            return Decision(
                .send(next, subject.purpose, counted: counters),
                counters.map { $0.counted(app: appID) } + changes + [.insertMessage(message)])
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

    /// Decides which verification carries the code: the running one, or a new one.
    package func decide(
        _ challenge: StepUpChallenge, current: Verification?, identifier: CanonicalIdentifier
    ) -> SendStepUpDecision {
        let code = code(challenge.verificationKey)
        let first = Verification(
            tokenHash: challenge.verificationKey, appID: appID, identifier: identifier, loginConfigID: "",
            codeChallenge: nil, code: code, lastSentAt: now, createdAt: now)
        // A step whose code has expired begins again, and counts as a start.
        guard let current, current.code.expiresAt > now else { return .start(first) }
        let resend = ResendCode(
            appID: appID, tokenHash: current.tokenHash, limits: limits, newCode: code, draft: draft, now: now)
        switch resend.decide(current) {
        case .send(let next): return .resend(current, with: next)
        case .limited(let until): return .limited(until: until)
        case .unknown: return .start(first)
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
    /// What the message counted.
    case send(Verification, LoginPurpose, counted: [FactQuery.CounterSelector])
    /// This verification sends no code until then.
    case limited(until: Timestamp)
    /// A budget is spent.
    case exhausted(ReachedLimit)
    case refused(Refusal)
}

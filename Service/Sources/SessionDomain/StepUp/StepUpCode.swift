/// Queues the code of a challenge's current step.
package struct SendStepUpCode: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    package let limits: LimitSettings
    package let now: Timestamp
    package let draft: MessageDraft
    /// Issues a code for the verification with this key.
    package let code: @Sendable (_ verificationKey: String) -> IssuedCode
    /// Reports a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, reference: ChallengeReference, limits: LimitSettings, now: Timestamp, draft: MessageDraft,
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

    package var reads: Read<StepCodeFacts> { reference.readsCode(app: appID) }

    package func decide(_ facts: StepCodeFacts) -> Decision<SendStepUpOutcome> {
        switch admit(challenge: facts.challenge, session: facts.session, user: facts.user) {
        case .failure(let refusal): return Decision(.refused(refusal))
        case .success((let challenge, let identifier)): return send(challenge, to: identifier, facts)
        }
    }

    private func send(
        _ challenge: StepUpChallenge, to identifier: CanonicalIdentifier, _ facts: StepCodeFacts
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
            if let limit = facts.failures.reached(counters) {
                let report =
                    events?.loginLimited(limit, LoginMethod(codeTo: identifier.type), of: subject, facts.failures) ?? []
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
        let refusal = reference.refusal(
            challenge: challenge, session: session, user: user, now: now, requirement: .none)
        if let refusal { return .failure(refusal) }
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
        switch current.resend(in: appID, newCode: code, limits: limits, at: now) {
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

/// Completes a step with a code.
///
/// Every attempt is counted, by verification, challenge and session, and no answer is given before the count is
/// committed. Without a running code nothing is guessed, so nothing is counted.
package struct CheckStepUpCode: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    /// Keyed hashes of the entered code, for the key under which the verification is filed.
    package let codeHashes: @Sendable (_ verificationKey: String) -> [String]
    package let limits: LimitSettings
    /// Seconds for which an identifier that the step adds is held.
    package let hold: Int
    package let nextTokenID: String
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(
        appID: AppID, reference: ChallengeReference, codeHashes: @escaping @Sendable (String) -> [String],
        limits: LimitSettings, hold: Int, nextTokenID: String, now: Timestamp, events: EventFactory,
        notices: NoticeFactory? = nil
    ) {
        self.appID = appID
        self.reference = reference
        self.codeHashes = codeHashes
        self.limits = limits
        self.hold = hold
        self.nextTokenID = nextTokenID
        self.now = now
        self.events = events
        self.notices = notices
    }

    package var reads: Read<StepCodeFacts> { reference.readsCode(app: appID) }

    package func decide(_ facts: StepCodeFacts) -> Decision<StepOutcome> {
        let (challenge, session, user) = (facts.challenge, facts.session, facts.user)
        if let refusal = reference.refusal(challenge: challenge, session: session, user: user, now: now) {
            return Decision(.refused(refusal))
        }
        guard let challenge, let user else { return Decision(.refused(.invalidChallenge)) }
        let check = CodeCheck(
            appID: appID, codeHashes: codeHashes(challenge.verificationKey), limits: limits, now: now, events: events)
        guard case .count(let checked) = check.precheck(facts.verification), let current = facts.verification else {
            // Without a running code, with a used-up one or an expired one, only a new code can be right.
            return Decision(
                .spent, check.rejection(of: facts.verification, facts.failures) { LoginSubject($0, of: challenge) })
        }
        let owners = BudgetOwner.owners(of: challenge, user: user)
        let budget = CallBudget(.check, limits: limits, device: nil, now: now)
        let counters = owners.flatMap(budget.failures)
        let subject = LoginSubject(current.identifier, of: challenge)
        if let limit = facts.failures.reached(counters) {
            return Decision(
                .limited(limit),
                events.loginLimited(limit, LoginMethod(codeTo: current.identifier.type), of: subject, facts.failures))
        }
        let counted = counters.map { $0.counted(app: appID) }
        guard check.rightCode(of: checked) != nil else {
            let next = challenge.withOneMoreWrongCode
            let isSpent =
                checked.checks >= limits.checksPerCode || next.wrongCodes >= StepUpChallenge.maximumWrongCodes
            return Decision(
                isSpent ? .spent : .wrong,
                counted + [
                    .replaceVerification(current, with: checked), .replaceChallenge(challenge, with: next),
                    .append(events.loginFailed(.wrongCode, LoginMethod(codeTo: current.identifier.type), of: subject)),
                ])
        }
        let completion = complete(challenge, of: user, facts.failures)
        // A new or held identifier says nothing about the failures of the session.
        let isEstablished = owners.allSatisfy { !$0.isAnonymous } && !user.isHeld(current.identifier, at: now)
        let proven = owners.flatMap { owner in
            owner.success(
                of: current.identifier, counted: budget.failures(of: owner), clearsFailures: isEstablished, app: appID)
        }
        return Decision(completion.outcome, counted + [.deleteVerification(current)] + proven + completion.changes)
    }

    /// The code is right: adds the identifier that it proves, if the step adds one, and advances the challenge.
    private func complete(_ challenge: StepUpChallenge, of user: User, _ failures: GuardFailures) -> Decision<
        StepOutcome
    > {
        let next = challenge.advanced(tokenID: nextTokenID, at: now)
        let advance = Change.replaceChallenge(challenge, with: next)
        guard let identifier = challenge.identifierOfStep, !user.identifiers.contains(identifier) else {
            return Decision(.advanced(next), [advance])
        }
        guard user.identifiers.count < User.maximumIdentifiers else {
            return Decision(
                .refused(.identifiersFull), [.replaceChallenge(challenge, with: challenge.withOneMoreWrongCode)])
        }
        if failures.isTaken(.identifier(identifier)) {
            return Decision(.identifierTaken, [.deleteChallenge(challenge)])
        }
        let addition = IdentifierAddition(
            of: identifier, to: user, heldUntil: hold > 0 ? now + hold : nil, now: now, events: events)
        let notice = notices?.changes(.identifierAdded(identifier), to: user, failures, at: now) ?? []
        return Decision(.advanced(next), addition.changes + [advance] + notice)
    }
}

/// What an attempt at a step results in.
package enum StepOutcome: Sendable, Equatable {
    case advanced(StepUpChallenge)
    case wrong
    /// As `wrong`, and no later check of the code that was sent is accepted.
    case spent
    case limited(ReachedLimit)
    case identifierTaken
    case refused(Refusal)
}

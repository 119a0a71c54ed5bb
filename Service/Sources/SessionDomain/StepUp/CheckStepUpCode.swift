/// Completes a step with a code.
///
/// Every attempt is counted, by verification, challenge and session, and no answer is given before the count is
/// committed. Without a running code nothing is guessed, so nothing is counted.
package struct CheckStepUpCode: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    /// Keyed hashes of the entered code, for the key under which the verification is filed.
    package let codeHashes: @Sendable (_ verificationKey: String) -> [String]
    package let limits: OTPLimits
    /// Seconds for which an identifier that the step adds is held.
    package let hold: Int
    package let nextTokenID: String
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(
        appID: AppID, reference: ChallengeReference, codeHashes: @escaping @Sendable (String) -> [String],
        limits: OTPLimits, hold: Int, nextTokenID: String, now: Timestamp, events: EventFactory,
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

    package var facts: FactQuery { reference.facts(app: appID) { $0.verification = .ofChallenge } }

    package func decide(_ facts: Facts) -> Decision<StepOutcome> {
        let (challenge, session, user) = (facts.challenge, facts.session, facts.user)
        if let refusal = reference.refusal(challenge: challenge, session: session, user: user, now: now) {
            return Decision(.refused(refusal))
        }
        guard let challenge, let user else { return Decision(.refused(.invalidChallenge)) }
        let check = codeCheck(of: challenge)
        guard case .count(let checked) = check.precheck(facts.verification), let current = facts.verification else {
            // Without a running code, with a used-up one or an expired one, only a new code can be right.
            return Decision(
                .spent, check.rejection(facts) { LoginSubject($0, of: challenge) })
        }
        let owners = BudgetOwner.owners(of: challenge, user: user)
        let budget = CallBudget(.check, limits: limits, device: nil, now: now)
        let counters = owners.flatMap(budget.failures)
        let subject = LoginSubject(current.identifier, of: challenge)
        if let limit = facts.reached(counters) {
            return Decision(
                .limited(limit),
                events.loginLimited(limit, LoginMethod(codeTo: current.identifier.type), of: subject, facts))
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
        let completion = complete(challenge, of: user, facts)
        // A new or held identifier says nothing about the failures of the session.
        let isEstablished = owners.allSatisfy { !$0.isAnonymous } && !user.isHeld(current.identifier, at: now)
        let proven = owners.flatMap { owner in
            owner.success(
                of: current.identifier, counted: budget.failures(of: owner), clearsFailures: isEstablished, app: appID)
        }
        return Decision(completion.outcome, counted + [.deleteVerification(current)] + proven + completion.changes)
    }

    /// The code is right: adds the identifier that it proves, if the step adds one, and advances the challenge.
    private func complete(_ challenge: StepUpChallenge, of user: User, _ facts: Facts) -> Decision<StepOutcome> {
        let next = challenge.advanced(tokenID: nextTokenID, at: now)
        let advance = Change.replaceChallenge(challenge, with: next)
        guard let identifier = challenge.identifierOfStep, !user.identifiers.contains(identifier) else {
            return Decision(.advanced(next), [advance])
        }
        guard user.identifiers.count < User.maximumIdentifiers else {
            return Decision(
                .refused(.identifiersFull), [.replaceChallenge(challenge, with: challenge.withOneMoreWrongCode)])
        }
        if facts.isTaken(.identifier(identifier)) { return Decision(.identifierTaken, [.deleteChallenge(challenge)]) }
        let addition = IdentifierAddition(
            of: identifier, to: user, heldUntil: hold > 0 ? now + hold : nil, now: now, events: events)
        let notice = notices?.changes(.identifierAdded(identifier), to: user, facts, at: now) ?? []
        return Decision(.advanced(next), addition.changes + [advance] + notice)
    }

    /// The check of the code itself, by the same rules as in a login.
    private func codeCheck(of challenge: StepUpChallenge) -> CheckCode {
        CheckCode(
            appID: appID, tokenHash: challenge.verificationKey, codeHashes: codeHashes(challenge.verificationKey),
            limits: limits, signUp: false, newUserID: "", now: now, events: events)
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

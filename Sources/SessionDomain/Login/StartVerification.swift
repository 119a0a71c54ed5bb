/// Starts a verification.
///
/// Known, unknown and blocked identifiers cause the same reads and writes, so the answer takes the same time.
package struct StartVerification: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let signUp: Bool
    package let budget: CallBudget
    /// Reports the code, and a limit.
    package let events: EventFactory?
    /// Makes the row, given the identifier that the code is sent to, and whether it may not sign in.
    package let verification: @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification

    package init(
        appID: AppID, identifier: CanonicalIdentifier, signUp: Bool, budget: CallBudget, events: EventFactory? = nil,
        verification: @escaping @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification
    ) {
        self.appID = appID
        self.identifier = identifier
        self.signUp = signUp
        self.budget = budget
        self.events = events
        self.verification = verification
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.budget = .init(budget, for: .identifier(identifier))
            $0.user = .identifier(identifier)
        }
    }

    package func decide(_ facts: Facts) -> Decision<StartVerificationOutcome> {
        let counters = budget.counters(for: identifier, device: facts.deviceStanding)
        // What was typed may reach another mailbox than the identifier of the user, although both compare as equal.
        let recipient = facts.user?.identifiers.first { $0 == identifier } ?? identifier
        let subject = LoginSubject(recipient, userID: facts.user?.id)
        if let limit = facts.reached(counters) {
            return Decision(
                .limited(limit),
                events?.loginLimited(limit, LoginMethod(codeTo: identifier.type), of: subject, facts) ?? [])
        }
        let started = verification(recipient, isSuppressed(user: facts.user))
        // A suppressed code is counted and reported, too: the writes do not show that nothing is sent.
        let event = events.map { [Change.append($0.started(started, of: subject))] } ?? []
        return Decision(
            .started(started), counters.map { $0.counted(app: appID) } + [.insertVerification(started)] + event)
    }

    private func isSuppressed(user: User?) -> Bool {
        guard let user else { return !signUp }
        return user.status != .active
    }
}

extension EventFactory {
    /// A code was sent. Of a suppressed one, the reason why not.
    fileprivate func started(_ verification: Verification, of subject: LoginSubject) -> Event {
        guard verification.isSuppressed else { return codeSent(to: subject) }
        return loginFailed(
            subject.userID == nil ? .unknownUser : .inactiveUser,
            LoginMethod(codeTo: verification.identifier.type), of: subject)
    }
}

package enum StartVerificationOutcome: Sendable, Equatable {
    case started(Verification)
    case limited(ReachedLimit)
}

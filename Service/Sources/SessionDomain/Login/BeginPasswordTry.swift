/// Counts an attempt to sign in with a password, before the password is compared, and reads the stored hash.
package struct BeginPasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// Reports a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, events: EventFactory? = nil
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.events = events
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.budget = .init(budget, for: .identifier(identifier))
            $0.user = .identifier(identifier)
            $0.passwordHash = true
        }
    }

    package func decide(_ facts: Facts) -> Decision<BeginPasswordTryOutcome> {
        let counters = budget.counters(for: identifier, device: facts.deviceStanding)
        if let limit = budget.reached(facts, for: identifier) {
            let subject = LoginSubject(identifier, userID: facts.user?.id)
            return Decision(.limited(limit), events?.loginLimited(limit, .password, of: subject, facts) ?? [])
        }
        let counted = counters.map { $0.counted(app: appID) }
        guard let user = facts.user else { return Decision(.unknown, counted) }
        return Decision(.found(user, passwordHash: facts.passwordHash), counted)
    }
}

package enum BeginPasswordTryOutcome: Sendable, Equatable {
    /// No user has this identifier. The caller still computes a hash, so that the response takes the same time.
    case unknown
    /// The hash is `nil` for a user without a password.
    case found(User, passwordHash: String?)
    case limited(ReachedLimit)
}

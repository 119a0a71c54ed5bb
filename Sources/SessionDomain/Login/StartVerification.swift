/// Starts a verification.
///
/// Known, unknown and blocked identifiers cause the same reads and writes, so the answer takes the same time.
package struct StartVerification: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let signUp: Bool
    package let budget: CallBudget
    /// Makes the row, given whether the identifier may not sign in.
    package let verification: @Sendable (_ isSuppressed: Bool) -> Verification

    package init(
        appID: AppID, identifier: CanonicalIdentifier, signUp: Bool, budget: CallBudget,
        verification: @escaping @Sendable (_ isSuppressed: Bool) -> Verification
    ) {
        self.appID = appID
        self.identifier = identifier
        self.signUp = signUp
        self.budget = budget
        self.verification = verification
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.budget = .init(budget, for: .identifier(identifier))
            $0.user = .identifier(identifier)
        }
    }

    package func decide(_ facts: Facts) -> Decision<StartVerificationOutcome> {
        let counters = budget.counters(for: identifier, isKnownDevice: facts.isKnownDevice)
        if let limit = facts.reached(counters) { return Decision(.limited(limit)) }
        let started = verification(isSuppressed(user: facts.user))
        // A suppressed code is counted, too: the writes do not show that nothing is sent.
        return Decision(.started(started), counters.map { $0.counted(app: appID) } + [.insertVerification(started)])
    }

    private func isSuppressed(user: User?) -> Bool {
        guard let user else { return !signUp }
        return user.status != .active
    }
}

package enum StartVerificationOutcome: Sendable, Equatable {
    case started(Verification)
    case limited(ReachedLimit)
}

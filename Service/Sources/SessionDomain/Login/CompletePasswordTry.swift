/// Ends the failures that a correct password ends, and takes the count of its own attempt back.
package struct CompletePasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// What the device of the budget was when it paid for the attempt.
    package let standing: KnownDevice.Standing
    /// Whether the identifier is held. Then nothing else ends.
    package let isHeld: Bool

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, device standing: KnownDevice.Standing,
        isHeld: Bool
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.standing = standing
        self.isHeld = isHeld
    }

    package var facts: FactQuery {
        FactQuery(app: appID) { $0.budget = .init(budget, for: .identifier(identifier)) }
    }

    package func decide(_ facts: Facts) -> Decision<Void> {
        let owner = budget.owner(of: identifier, device: standing)
        let counters = budget.counters(for: identifier, device: standing)
        return Decision(
            (),
            owner.success(of: identifier, counted: counters, clearsFailures: !isHeld, app: appID)
                + budget.succeeded(at: identifier, device: standing, facts, app: appID))
    }
}

/// Reports a wrong password, and counts its identifier for the networks of the caller. The attempt itself is counted before.
package struct FailPasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// What the device of the budget was when it paid for the attempt.
    package let standing: KnownDevice.Standing
    package let event: Event

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, device standing: KnownDevice.Standing,
        event: Event
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.standing = standing
        self.event = event
    }

    package var facts: FactQuery {
        FactQuery(app: appID) { $0.budget = .init(budget, for: .identifier(identifier)) }
    }

    package func decide(_ facts: Facts) -> Decision<Void> {
        Decision((), budget.failed(at: identifier, device: standing, facts, app: appID) + [.append(event)])
    }
}

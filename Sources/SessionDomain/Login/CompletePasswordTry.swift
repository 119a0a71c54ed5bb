/// Ends the failures that a correct password ends, and takes the count of its own attempt back.
package struct CompletePasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// Whether the device of the budget paid for the attempt.
    package let isKnownDevice: Bool
    /// Whether the identifier is held. Then nothing else ends.
    package let isHeld: Bool

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, isKnownDevice: Bool, isHeld: Bool
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.isKnownDevice = isKnownDevice
        self.isHeld = isHeld
    }

    package var facts: FactQuery { FactQuery(app: appID) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        let owner = budget.owner(of: identifier, isKnownDevice: isKnownDevice)
        let counters = budget.counters(for: identifier, isKnownDevice: isKnownDevice)
        return Decision(
            (), owner.success(of: identifier, counted: counters, clearsFailures: !isHeld, app: appID))
    }
}

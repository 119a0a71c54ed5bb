/// Takes the count of an attempt back whose password could not be compared. Otherwise a service without memory for hashes
/// would use up the attempts of its users.
package struct UndoPasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// What the device of the budget was when it paid for the attempt.
    package let standing: KnownDevice.Standing

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, device standing: KnownDevice.Standing
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.standing = standing
    }

    package var facts: FactQuery { FactQuery(app: appID) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        Decision((), budget.counters(for: identifier, device: standing).map { .uncount($0.key, app: appID) })
    }
}

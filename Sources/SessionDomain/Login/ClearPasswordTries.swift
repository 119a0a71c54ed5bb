/// Clears the counts of failed attempts after a correct password.
package struct ClearPasswordTries: Intent {
    package let identifier: CanonicalIdentifier
    package let owner: BudgetOwner
    package let appID: AppID

    /// - Parameter owner: Who paid for the attempt.
    package init(_ identifier: CanonicalIdentifier, of owner: BudgetOwner, app: AppID) {
        self.identifier = identifier
        self.owner = owner
        appID = app
    }

    package var facts: FactQuery { FactQuery(app: appID) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        Decision((), owner.clearedBySuccess(of: identifier).map { .clearCounter($0, app: appID) })
    }
}

/// Clears the count of password attempts after a successful one.
package struct ClearPasswordTries: Intent {
    package let identifier: CanonicalIdentifier
    package let appID: AppID

    package init(_ identifier: CanonicalIdentifier, app: AppID) {
        self.identifier = identifier
        appID = app
    }

    package var facts: FactQuery { FactQuery(app: appID) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        Decision((), [.clearCounter(.passwordTries(identifier), app: appID)])
    }
}

/// Deletes a user with everything that belongs to them, running verifications included. Returns `false` for an unknown user.
package struct DeleteUser: Intent {
    package let userID: String
    package let appID: AppID
    package let events: [Event]

    package init(_ id: String, app: AppID, events: [Event]) {
        userID = id
        appID = app
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.user = .id(userID) } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let user = facts.user else { return Decision(false) }
        let verifications = user.identifiers.map { Change.endVerifications(of: $0, app: appID) }
        return Decision(true, verifications + [.deleteUser(user)] + events.map { .append($0) })
    }
}

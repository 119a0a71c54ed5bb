/// Replaces the external id of a user. `nil` removes it.
package struct SetExternalID: Intent {
    package let externalID: String?
    package let userID: String
    package let appID: AppID
    package let now: Timestamp

    package init(_ externalID: String?, user id: String, app: AppID, now: Timestamp) {
        self.externalID = externalID
        userID = id
        appID = app
        self.now = now
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.user = .id(userID) } }

    package func decide(_ facts: Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        if let externalID, facts.isTaken(.externalID(externalID)) { return Decision(.taken) }
        var next = user
        next.externalID = externalID
        next.updatedAt = now
        return Decision(.updated(next), [.replaceUser(user, with: next)])
    }
}

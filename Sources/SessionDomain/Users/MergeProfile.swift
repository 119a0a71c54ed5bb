package import SessionTokens

/// Merges values into the profile of a user. A null removes its key.
package struct MergeProfile: Intent {
    package let values: [String: JSONValue]
    package let userID: String
    package let appID: AppID
    package let now: Timestamp
    package let events: EventFactory

    package init(
        _ values: [String: JSONValue], user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) {
        self.values = values
        userID = id
        appID = app
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.user = .id(userID) } }

    package func decide(_ facts: Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        var next = user
        for (key, value) in values { next.profile[key] = value == .null ? nil : value }
        guard next.profile.count <= User.maximumProfileKeys else { return Decision(.full) }
        next.updatedAt = now
        let event = events.make(.profileUpdated, ["user_id": .string(userID)])
        return Decision(.updated(next), [.append(event), .replaceUser(user, with: next)])
    }
}

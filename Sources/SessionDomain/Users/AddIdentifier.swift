/// Adds an identifier to a user. Adding one that the user has changes nothing.
package struct AddIdentifier: Intent {
    package let identifier: CanonicalIdentifier
    package let userID: String
    package let appID: AppID
    package let now: Timestamp
    package let events: EventFactory

    package init(
        _ identifier: CanonicalIdentifier, user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) {
        self.identifier = identifier
        userID = id
        appID = app
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.user = .id(userID) } }

    package func decide(_ facts: Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        if user.identifiers.contains(identifier) { return Decision(.updated(user)) }
        guard user.identifiers.count < User.maximumIdentifiers else { return Decision(.full) }
        if facts.isTaken(.identifier(identifier)) { return Decision(.taken) }
        let addition = IdentifierAddition(of: identifier, to: user, now: now, events: events)
        return Decision(.updated(addition.user), addition.changes)
    }
}

/// The changes that add an identifier to a user.
struct IdentifierAddition {
    /// The user with the new identifier.
    let user: User
    let changes: [Change]

    init(of identifier: CanonicalIdentifier, to user: User, now: Timestamp, events: EventFactory) {
        var next = user
        next.identifiers.append(identifier)
        next.updatedAt = now
        self.user = next
        changes = [
            .insertIdentifier(identifier, of: user), .replaceUser(user, with: next),
            .append(events.identifierCreated(identifier, of: user.id)),
        ]
    }
}

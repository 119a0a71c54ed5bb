/// Removes an identifier from a user. Codes for it, and the step-ups and logins that may rest on it, end.
package struct RemoveIdentifier: Intent {
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
        guard user.identifiers.contains(identifier) else { return Decision(.updated(user)) }
        var next = user
        next.identifiers.removeAll { $0 == identifier }
        next.updatedAt = now
        return Decision(
            .updated(next),
            [
                .deleteIdentifier(identifier, of: user), .deleteVerifications(of: identifier, app: appID),
                .deleteStepUps(of: user), .voidLogins(of: user, before: now), .replaceUser(user, with: next),
                .append(events.identifierDeleted(identifier, of: userID)),
            ])
    }
}

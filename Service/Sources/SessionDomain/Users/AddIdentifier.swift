/// Adds an identifier to a user. Adding one that the user has changes nothing.
package struct AddIdentifier: Intent {
    package let identifier: CanonicalIdentifier
    package let change: UserChange

    package init(_ identifier: CanonicalIdentifier, in change: UserChange) {
        self.identifier = identifier
        self.change = change
    }

    package var facts: FactQuery { change.facts }

    package func decide(_ facts: Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        if user.identifiers.contains(identifier) { return Decision(.updated(user)) }
        guard user.identifiers.count < User.maximumIdentifiers else { return Decision(.full) }
        if facts.isTaken(.identifier(identifier)) { return Decision(.taken) }
        let addition = IdentifierAddition(of: identifier, to: user, now: change.now, events: change.events)
        return Decision(
            .updated(addition.user), addition.changes + change.notice(.identifierAdded(identifier), to: user, facts))
    }
}

/// The changes that add an identifier to a user.
struct IdentifierAddition {
    /// The user with the new identifier.
    let user: User
    let changes: [Change]

    /// - Parameter heldUntil: For an identifier that a session registers. `nil`: it is not held.
    init(
        of identifier: CanonicalIdentifier, to user: User, heldUntil: Timestamp? = nil, now: Timestamp,
        events: EventFactory
    ) {
        var next = user
        next.identifiers.append(identifier)
        next.heldUntil[identifier] = heldUntil
        next.updatedAt = now
        self.user = next
        changes = [
            .insertIdentifier(identifier, of: user, heldUntil: heldUntil), .replaceUser(user, with: next),
            .append(events.identifierCreated(identifier, of: user.id)),
        ]
    }
}

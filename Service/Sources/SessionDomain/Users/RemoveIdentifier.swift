/// Removes an identifier from a user. Codes for it, and the step-ups and logins that may rest on it, end. Its messages and
/// counters are deleted; only the notice of the removal goes to it.
package struct RemoveIdentifier: Intent {
    package let identifier: CanonicalIdentifier
    package let change: UserChange

    package init(_ identifier: CanonicalIdentifier, in change: UserChange) {
        self.identifier = identifier
        self.change = change
    }

    package var facts: FactQuery { change.facts }

    package func decide(_ facts: Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        guard user.identifiers.contains(identifier) else { return Decision(.updated(user)) }
        var next = user
        next.identifiers.removeAll { $0 == identifier }
        next.heldUntil[identifier] = nil
        next.updatedAt = change.now
        return Decision(
            .updated(next),
            [.deleteIdentifier(identifier, of: user)] + Change.forgetting(identifier, app: change.appID)
                + CounterKey.all(of: .anonymous(identifier)).map { .clearCounter($0, app: change.appID) } + [
                    .deleteStepUps(of: user), .voidLogins(of: user), .replaceUser(user, with: next),
                    .append(change.events.identifierDeleted(identifier, of: change.userID)),
                ] + change.notice(.identifierRemoved(identifier), to: user, facts))
    }
}

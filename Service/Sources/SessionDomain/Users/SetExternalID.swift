internal import SessionTokens

/// Replaces the external id of a user. `nil` removes it.
package struct SetExternalID: Intent {
    package let externalID: String?
    package let change: UserChange

    package init(_ externalID: String?, in change: UserChange) {
        self.externalID = externalID
        self.change = change
    }

    package var facts: FactQuery { change.facts }

    package func decide(_ facts: Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        if let externalID, facts.isTaken(.externalID(externalID)) { return Decision(.taken) }
        var next = user
        next.externalID = externalID
        next.updatedAt = change.now
        let event = change.events.make(.externalIDUpdated, ["user_id": .string(change.userID)])
        return Decision(.updated(next), [.append(event), .replaceUser(user, with: next)])
    }
}

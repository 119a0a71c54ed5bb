package import SessionTokens

/// Merges values into the profile of a user. A null removes its key.
package struct MergeProfile: Intent {
    package let values: [String: JSONValue]
    package let change: UserChange

    package init(_ values: [String: JSONValue], in change: UserChange) {
        self.values = values
        self.change = change
    }

    package var facts: FactQuery { change.facts }

    package func decide(_ facts: Facts) -> Decision<UpdateUserOutcome> {
        guard let user = facts.user else { return Decision(.notFound) }
        var next = user
        for (key, value) in values { next.profile[key] = value == .null ? nil : value }
        guard next.profile.count <= User.maximumProfileKeys, fits(next, replacing: user) else { return Decision(.full) }
        next.updatedAt = change.now
        let event = change.events.make(.profileUpdated, ["user_id": .string(change.userID)])
        return Decision(.updated(next), [.append(event), .replaceUser(user, with: next)])
    }

    /// An earlier version stored larger profiles. They can become smaller step by step.
    private func fits(_ next: User, replacing user: User) -> Bool {
        let size = User.size(of: next.profile)
        return size <= User.maximumProfileSize || size < User.size(of: user.profile)
    }
}

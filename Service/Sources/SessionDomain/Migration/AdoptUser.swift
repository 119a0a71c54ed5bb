/// Takes over a user that the operator's backend vouches for. A conflict writes nothing.
package struct AdoptUser: Intent {
    package let newUser: User
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(newUser: User, now: Timestamp, events: EventFactory, notices: NoticeFactory? = nil) {
        self.newUser = newUser
        self.now = now
        self.events = events
        self.notices = notices
    }

    package var facts: FactQuery {
        FactQuery(app: newUser.appID) {
            $0.owners = .init(identifiers: newUser.identifiers, externalID: newUser.externalID)
        }
    }

    package func decide(_ facts: Facts) -> Decision<AdoptUserOutcome> {
        guard facts.owners.count <= 1 else { return Decision(.conflict) }
        guard let existing = facts.owners.first else {
            return Decision(
                .adopted(newUser), Change.insertions(of: newUser) + [.append(events.userCreated(newUser))])
        }
        // Do not modify inactive users. The caller rejects the login.
        guard existing.status == .active else { return Decision(.adopted(existing)) }
        return extend(existing, facts)
    }

    /// Adds what is new to a user that exists. The profile stays as it is.
    private func extend(_ existing: User, _ facts: Facts) -> Decision<AdoptUserOutcome> {
        let added = newUser.identifiers.filter { !existing.identifiers.contains($0) }
        guard existing.identifiers.count + added.count <= User.maximumIdentifiers else { return Decision(.conflict) }
        var next = existing
        if let externalID = newUser.externalID, existing.externalID != externalID {
            // A user with another external id may be another person.
            guard existing.externalID == nil else { return Decision(.conflict) }
            next.externalID = externalID
        }
        next.identifiers += added
        guard next.externalID != existing.externalID || !added.isEmpty else { return Decision(.adopted(existing)) }
        next.updatedAt = now
        let additions = added.flatMap { identifier -> [Change] in
            [
                .insertIdentifier(identifier, of: existing),
                .append(events.identifierCreated(identifier, of: existing.id)),
            ]
        }
        // One notice for one migration: a single identifier is usual, and each names only one.
        let notice = added.first.flatMap { notices?.changes(.identifierAdded($0), to: existing, facts, at: now) } ?? []
        return Decision(.adopted(next), additions + [.replaceUser(existing, with: next)] + notice)
    }
}

package enum AdoptUserOutcome: Sendable, Equatable {
    case adopted(User)
    case conflict
}

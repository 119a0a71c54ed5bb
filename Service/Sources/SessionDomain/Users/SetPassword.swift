internal import SessionTokens

/// Stores a password hash for an operator. What was begun under the old password ends (O12). Returns `nil` for an unknown
/// user.
package struct SetPassword: Intent {
    package let hash: String
    /// The sessions that end. `nil`: none.
    package let ending: SessionSelection?
    package let change: UserChange

    package init(hash: String, ending: SessionSelection?, in change: UserChange) {
        self.hash = hash
        self.ending = ending
        self.change = change
    }

    package var facts: FactQuery { change.factsWithSessions }

    package func decide(_ facts: Facts) -> Decision<User?> {
        guard let user = facts.user else { return Decision(nil) }
        let password = PasswordReplacement(of: user, hash: hash, now: change.now, events: change.events)
        var changes = password.changes
        if let ending {
            let revocation = SessionRevocation(reason: .passwordChanged, now: change.now, events: change.events)
            changes += revocation.changes(facts.liveSessions, ending)
        }
        return Decision(password.user, changes + change.notice(.passwordChanged, to: user, facts))
    }
}

/// The changes that store another password and end what was begun under the old one.
struct PasswordReplacement {
    /// The user with the new password.
    let user: User
    let changes: [Change]

    init(of user: User, hash: String, now: Timestamp, events: EventFactory) {
        var next = user
        next.hasPassword = true
        next.updatedAt = now
        self.user = next
        changes =
            [.setPasswordHash(hash, replacing: nil, of: user), .replaceUser(user, with: next)]
            + Change.endingBegun(by: user)
            + [.append(events.make(.passwordChanged, ["user_id": .string(user.id)]))]
    }
}

internal import SessionTokens

/// Sets the status of a user. Any status but active ends the user's sessions, codes and step-ups (R8).
///
/// Returns `nil` for an unknown user.
package struct SetUserStatus: Intent {
    package let status: User.Status
    package let change: UserChange

    package init(_ status: User.Status, in change: UserChange) {
        self.status = status
        self.change = change
    }

    package var facts: FactQuery { change.factsWithSessions }

    package func decide(_ facts: Facts) -> Decision<User?> {
        guard let user = facts.user else { return Decision(nil) }
        var (next, changes) = (user, [Change]())
        if user.status != status {
            next.status = status
            next.updatedAt = change.now
            let event = change.events.make(
                .userStatusChanged, ["user_id": .string(change.userID), "status": .string(status.rawValue)])
            changes += [.replaceUser(user, with: next), .append(event)]
        }
        if status != .active {
            let revocation = SessionRevocation(reason: .userInactive, now: change.now, events: change.events)
            changes += revocation.changes(facts.liveSessions, .all)
            changes += Change.endingBegun(by: user)
        }
        return Decision(next, changes)
    }
}

extension Change {
    /// Ends what a user has begun and not finished: codes, step-ups and grants, logins.
    static func endingBegun(by user: User) -> [Change] { [.deleteStepUps(of: user)] + endingLogins(of: user) }

    /// Ends the logins of a user that have begun: running codes, and challenge tokens.
    static func endingLogins(of user: User) -> [Change] {
        user.identifiers.map { .endVerifications(of: $0, app: user.appID) } + [.voidLogins(of: user)]
    }
}

/// A selection of one user's sessions.
package enum SessionSelection: Sendable, Equatable {
    case all
    case one(String)
    case allBut(String)

    func includes(_ id: String) -> Bool {
        switch self {
        case .all: true
        case .one(let chosen): id == chosen
        case .allBut(let spared): id != spared
        }
    }
}

/// Ends live sessions of one user. Returns how many.
package struct RevokeSessions: Intent {
    package let selection: SessionSelection
    package let reason: RevocationReason
    package let change: UserChange

    package init(_ selection: SessionSelection, reason: RevocationReason, in change: UserChange) {
        self.selection = selection
        self.reason = reason
        self.change = change
    }

    package var facts: FactQuery { change.factsWithSessions }

    package func decide(_ facts: Facts) -> Decision<Int> {
        guard let user = facts.user else { return Decision(0) }
        let revocation = SessionRevocation(reason: reason, now: change.now, events: change.events)
        let ended = facts.liveSessions.count { selection.includes($0.id) }
        return Decision(ended, revocation.changes(facts.liveSessions, selection, of: user))
    }
}

/// The changes that end sessions. Several intents use them.
struct SessionRevocation {
    let reason: RevocationReason
    let now: Timestamp
    let events: EventFactory

    /// - Parameter live: The live sessions of the user.
    func changes(_ live: [Session], _ selection: SessionSelection, of user: User) -> [Change] {
        // Ending all sessions also ends the logins that have begun.
        let logins: [Change] = selection == .all ? [.voidLogins(of: user, before: now)] : []
        return logins + live.filter { selection.includes($0.id) }.flatMap(changes)
    }

    func changes(_ session: Session) -> [Change] {
        var ended = session
        ended.revokedAt = now
        return [.replaceSession(session, with: ended), .append(events.sessionRevoked(session, reason: reason))]
    }
}

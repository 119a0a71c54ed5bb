internal import SessionTokens

/// A selection of one user's sessions.
package enum SessionSelection: Sendable, Equatable {
    case all
    case one(String)
    case allBut(String)

    /// The session that stays.
    var spared: String? {
        if case .allBut(let id) = self { id } else { nil }
    }

    func includes(_ id: String) -> Bool {
        switch self {
        case .all: true
        case .one(let chosen): id == chosen
        case .allBut(let spared): id != spared
        }
    }
}

/// Ends live sessions of one user, with the step-ups of these sessions. Returns how many; `nil` if the calling session, or
/// the one session that is to stay, has ended in the meantime.
///
/// Ending all sessions, or all but one, also ends the logins that have begun. Ending all ends every step-up of the user.
package struct RevokeSessions: Intent {
    package let selection: SessionSelection
    package let reason: RevocationReason
    /// The session of the user that calls. Of two sessions that end each other, only the first succeeds. `nil` for a call
    /// of an operator, and for a call with a refresh token.
    package let callerID: String?
    /// Whether an event reports the end of begun logins if no session ends.
    package let reportsVoidedLogins: Bool
    /// More events, if a session ends.
    package let events: [Event]
    package let change: UserChange

    package init(
        _ selection: SessionSelection, reason: RevocationReason, by callerID: String? = nil,
        reportsVoidedLogins: Bool = true, reporting events: [Event] = [], in change: UserChange
    ) {
        self.selection = selection
        self.reason = reason
        self.callerID = callerID
        self.reportsVoidedLogins = reportsVoidedLogins
        self.events = events
        self.change = change
    }

    package var reads: Read<UserChange.SessionFacts> { change.readsWithSessions }

    package func decide(_ facts: UserChange.SessionFacts) -> Decision<Int?> {
        for needed in [callerID, selection.spared] {
            if let needed, !facts.liveSessions.contains(where: { $0.id == needed }) { return Decision(nil) }
        }
        guard let user = facts.user else { return Decision(0) }
        let revocation = SessionRevocation(reason: reason, now: change.now, events: change.events)
        let ended = facts.liveSessions.count { selection.includes($0.id) }
        let none = reportsVoidedLogins ? voided(of: user, facts.failures) : []
        let report = ended == 0 ? none : events.map { .append($0) }
        return Decision(ended, begun(by: user) + revocation.changes(facts.liveSessions, selection) + report)
    }

    /// Reports that begun logins have ended, if no session did. A user can repeat the call for free, so that is reported once
    /// per user and hour.
    private func voided(of user: User, _ failures: GuardFailures) -> [Change] {
        if case .one = selection { return [] }
        let event = change.events.make(
            .loginsVoided, ["user_id": .string(user.id), "reason": .string(reason.rawValue)])
        guard callerID != nil else { return [.append(event)] }
        let hour = change.now.seconds / 3600
        let key = "user.logins.voided/\(user.id)/\(hour)"
        guard !failures.isTaken(.redemption(key)) else { return [] }
        return [.redeem(key, until: Timestamp(seconds: (hour + 1) * 3600), app: change.appID), .append(event)]
    }

    /// Ends what a thief may have begun before the revocation.
    private func begun(by user: User) -> [Change] {
        switch selection {
        case .all: Change.endingBegun(by: user)
        case .allBut: Change.endingLogins(of: user)
        case .one: []
        }
    }
}

/// The changes that end sessions. Several intents use them.
struct SessionRevocation {
    let reason: RevocationReason
    let now: Timestamp
    let events: EventFactory

    /// - Parameter live: The live sessions of the user.
    func changes(_ live: [Session], _ selection: SessionSelection) -> [Change] {
        live.filter { selection.includes($0.id) }.flatMap(changes)
    }

    func changes(_ session: Session) -> [Change] {
        var ended = session
        ended.revokedAt = now
        return [
            .replaceSession(session, with: ended), .deleteStepUpsOfSession(session),
            .append(events.sessionRevoked(session, reason: reason)),
        ]
    }
}

/// The sessions of a signed-in user, as that user lists and ends them.
package struct UserSessions: Sendable {
    private let store: any SessionStore
    private let environment: ServiceEnvironment

    package init(store: any SessionStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// The caller's live sessions, last seen first.
    package func list(of caller: SignedIn, limit: Int, offset: Int) async throws -> (
        sessions: [Session], total: Int
    ) {
        try PageLimit.check(limit, .offset(offset))
        return try await store.sessions(
            of: caller.user.id, app: caller.user.appID, now: environment.now(), limit: limit, offset: offset)
    }

    /// Ends sessions of the caller.
    ///
    /// - Throws: `Refusal.notFound` if a session is named that does not exist; `.unauthorized` if the caller's session has
    ///   ended in the meantime.
    package func revoke(_ target: RevokeTarget, by caller: SignedIn) async throws {
        let selection: SessionSelection =
            switch target {
            case .all: .all
            case .others: .allBut(caller.session.id)
            case .mine: .one(caller.session.id)
            case .session(let id): .one(id)
            }
        let ended = try await store.perform(
            RevokeSessions(
                selection, reason: .revokedByUser, by: caller.session.id,
                in: UserChange(
                    of: caller.user.id, app: caller.user.appID, now: environment.now(),
                    events: EventFactory(appID: caller.user.appID, environment: environment))))
        guard let ended else { throw Refusal.unauthorized }
        if case .session = target, ended == 0 { throw Refusal.notFound("there is no such session") }
    }
}

/// The sessions that a user ends.
package enum RevokeTarget: Sendable, Equatable {
    case all
    case others
    case mine
    case session(id: String)
}

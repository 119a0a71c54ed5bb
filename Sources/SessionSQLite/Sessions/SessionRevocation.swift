internal import GRDB
internal import SessionDomain

extension Database {
    static let isLive = "revoked_at IS NULL AND idle_expires_at > ? AND absolute_expires_at > ?"

    /// Ends live sessions of one user with their events; how many.
    func revokeSessions(
        of userID: String, app: AppID, _ selection: SessionSelection, reason: RevocationReason, now: Timestamp,
        events: EventFactory
    ) throws -> Int {
        let live = try all(
            "SELECT \(Session.columns) FROM sessions WHERE app_id = ? AND user_id = ? AND \(Self.isLive) ORDER BY id",
            [app, userID, now, now], as: Session.init(reading:))
        let chosen = live.filter { selection.includes($0.id) }
        if selection == .all { try voidLogins(of: userID, app: app, now: now) }
        for session in chosen { try revoke(session, reason: reason, now: now, events: events) }
        return chosen.count
    }

    func revoke(_ session: Session, reason: RevocationReason, now: Timestamp, events: EventFactory) throws {
        var ended = session
        ended.revokedAt = now
        try replace(session, by: ended)
        try append([events.sessionRevoked(session, reason: reason)])
    }
}

extension SessionSelection {
    fileprivate func includes(_ id: String) -> Bool {
        switch self {
        case .all: true
        case .one(let chosen): id == chosen
        case .allBut(let spared): id != spared
        }
    }
}

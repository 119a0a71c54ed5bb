internal import GRDB
package import SessionDomain

@available(service, *)
extension SQLiteStore: SessionStore {
    package func session(_ id: String, app: AppID) async throws -> Session? {
        try await read { db in try db.session(id, app: app) }
    }

    package func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)? {
        try await read { db in try db.signedIn(session: id, app: app) }
    }

    package func sessions(
        of userID: String, app: AppID, now: Timestamp, limit: Int, offset: Int
    ) async throws -> (sessions: [Session], total: Int) {
        let live = "FROM sessions WHERE app_id = ? AND user_id = ? AND \(Database.isLive)"
        return try await read { db in
            (
                try db.all(
                    "SELECT \(Session.columns) \(live) ORDER BY last_seen_at DESC, id DESC LIMIT ? OFFSET ?",
                    [app, userID, now, now, limit, offset], as: Session.init(reading:)),
                try db.count("SELECT count(*) \(live)", [app, userID, now, now])
            )
        }
    }

    package func sessions(
        of userID: String, app: AppID, now: Timestamp, after place: ListPlace, limit: Int
    ) async throws -> [Session] {
        try await read { db in
            try db.all(
                """
                SELECT \(Session.columns) FROM sessions
                WHERE app_id = ? AND user_id = ? AND \(Database.isLive) AND (last_seen_at, id) < (?, ?)
                ORDER BY last_seen_at DESC, id DESC LIMIT ?
                """, [app, userID, now, now, place.time, place.id, limit], as: Session.init(reading:))
        }
    }
}

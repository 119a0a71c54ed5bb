internal import GRDB
package import SessionDomain

extension SQLiteStore: SessionStore {
    package func session(_ id: String, app: AppID) async throws -> Session? {
        try await read { db in try db.session(id, app: app) }
    }

    package func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)? {
        try await read { db in try db.signedIn(session: id, app: app) }
    }

    /// The live sessions of a user that a filter selects. A user has few, so no index is needed for the filter.
    private static let selection = """
        FROM \(Database.sessionsOfUser) WHERE app_id = ?1 AND user_id = ?2 AND \(Database.isLive)
            AND (?5 IS NULL OR device_id = ?5) AND (?6 IS NULL OR device_type = ?6)
            AND (?7 IS NULL OR country_code = ?7)
        """

    package func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, limit: Int, offset: Int
    ) async throws -> (sessions: [Session], total: Int) {
        try await read { db in
            (
                try db.all(
                    "SELECT \(Session.columns) \(Self.selection) ORDER BY last_seen_at DESC, id DESC LIMIT ?8 OFFSET ?9",
                    [
                        app, userID, now, now, filter.deviceID, filter.deviceType, filter.countryCode, limit, offset,
                    ], as: Session.init(reading:)),
                try db.count(
                    "SELECT count(*) \(Self.selection)",
                    [app, userID, now, now, filter.deviceID, filter.deviceType, filter.countryCode])
            )
        }
    }

    package func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, after place: ListPlace, limit: Int
    ) async throws -> [Session] {
        try await read { db in
            try db.all(
                """
                SELECT \(Session.columns) \(Self.selection) AND (last_seen_at, id) < (?8, ?9)
                ORDER BY last_seen_at DESC, id DESC LIMIT ?10
                """,
                [
                    app, userID, now, now, filter.deviceID, filter.deviceType, filter.countryCode, place.time, place.id,
                    limit,
                ], as: Session.init(reading:))
        }
    }
}

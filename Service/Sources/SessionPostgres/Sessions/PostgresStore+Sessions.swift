package import SessionDomain

extension PostgresStore: SessionStore {
    package func session(_ id: String, app: AppID) async throws -> Session? {
        try await read([Statement("SELECT \(Session.columns) FROM sessions WHERE app_id = $1 AND id = $2", [app, id])])
        {
            try $0[0].first(Session.init(reading:))
        }
    }

    package func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)? {
        let statements = [
            Statement(
                """
                SELECT \(Session.columns), \(User.columns)
                FROM sessions JOIN users ON users.app_id = sessions.app_id AND users.id = sessions.user_id
                WHERE sessions.app_id = $1 AND sessions.id = $2
                """, [app, id]),
            Statement(
                """
                SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = (
                    SELECT user_id FROM sessions WHERE app_id = $1 AND id = $2) ORDER BY position
                """, [app, id]),
        ]
        return try await read(statements) { rows in
            let found = try rows[0].first { (try Session(reading: &$0), try User(reading: &$0)) }
            guard let session = found?.0, var user = found?.1 else { return nil }
            user.add(try rows[1].all(IdentifierRow.init(reading:)))
            return (session, user)
        }
    }

    /// The live sessions of a user that a filter selects. A user has few, so no index is needed for the filter.
    private static let selection = """
        FROM sessions WHERE app_id = $1 AND user_id = $2 AND \(Session.isLive(at: "$3"))
            AND ($4::text IS NULL OR device_id = $4) AND ($5::text IS NULL OR device_type = $5)
            AND ($6::text IS NULL OR country_code = $6)
        """

    package func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, limit: Int, offset: Int
    ) async throws -> (sessions: [Session], total: Int) {
        let values: [(any PostgresValue)?] = [
            app, userID, now, filter.deviceID, filter.deviceType, filter.countryCode,
        ]
        let statements = [
            Statement(
                "SELECT \(Session.columns) \(Self.selection) ORDER BY last_seen_at DESC, id DESC LIMIT $7 OFFSET $8",
                values + [limit, offset]),
            Statement("SELECT count(*) \(Self.selection)", values),
        ]
        return try await read(statements) { rows in
            (try rows[0].all(Session.init(reading:)), try rows[1].first { try $0.next() } ?? 0)
        }
    }

    package func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, after place: ListPlace, limit: Int
    ) async throws -> [Session] {
        let page = Statement(
            """
            SELECT \(Session.columns) \(Self.selection) AND (last_seen_at, id) < ($7, $8)
            ORDER BY last_seen_at DESC, id DESC LIMIT $9
            """,
            [
                app, userID, now, filter.deviceID, filter.deviceType, filter.countryCode, place.time, place.id, limit,
            ])
        return try await read([page]) { try $0[0].all(Session.init(reading:)) }
    }
}

package import SessionDomain

extension Session {
    package static let columns = """
        sessions.id, sessions.app_id, sessions.user_id, sessions.generation, sessions.key_thumbprint,
        sessions.last_proof, sessions.last_attempt, sessions.earlier_attempts, sessions.demands_nonce, sessions.method, sessions.scopes,
        sessions.device_id, sessions.device_model, sessions.device_type, sessions.os_version, sessions.country_code,
        sessions.created_at, sessions.last_seen_at, sessions.rotated_at, sessions.settled_generation,
        sessions.idle_expires_at, sessions.absolute_expires_at, sessions.revoked_at
        """

    package init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), appID: try columns.next(), userID: try columns.next(),
            generation: try columns.next(), keyThumbprint: try columns.next(), lastProof: try columns.next(),
            attempts: RotationAttempts(last: try columns.next(), earlierWords: try columns.next()),
            demandsNonce: try columns.next(), method: try columns.next(), scopes: StoredWords.read(try columns.next()),
            device: Device(
                id: try columns.next(), model: try columns.next(), type: try columns.next(),
                osVersion: try columns.next(), countryCode: try columns.next()),
            createdAt: try columns.next(), lastSeenAt: try columns.next(), rotatedAt: try columns.next(),
            settledGeneration: try columns.next(), idleExpiresAt: try columns.next(),
            absoluteExpiresAt: try columns.next(), revokedAt: try columns.next())
    }

    /// - Parameter now: The parameter of the time, such as `$3`.
    package static func isLive(at now: String) -> String {
        "sessions.revoked_at IS NULL AND sessions.idle_expires_at > \(now) AND sessions.absolute_expires_at > \(now)"
    }

    package static let byID = "SELECT \(columns) FROM sessions WHERE app_id = $1 AND id = $2"

    /// A session with its user, without the identifiers.
    package static let signedIn = """
        SELECT \(columns), \(User.columns)
        FROM sessions JOIN users ON users.app_id = sessions.app_id AND users.id = sessions.user_id
        WHERE sessions.app_id = $1 AND sessions.id = $2
        """

    /// The first full hour at which housekeeping may delete the session.
    private var purgeHour: Int64 { (keptUntil.milliseconds + Timestamp.hour - 1) / Timestamp.hour }

    var insertion: Statement {
        Statement(
            Self.insertion,
            [
                appID, id, userID, generation, keyThumbprint, lastProof, attempts.last,
                attempts.earlierWords, demandsNonce, method, StoredWords.text(of: scopes), device.id,
                device.model, device.type, device.osVersion, device.countryCode, createdAt, lastSeenAt, rotatedAt,
                settledGeneration, idleExpiresAt, absoluteExpiresAt, revokedAt, purgeHour,
            ])
    }

    private static let insertion = """
        INSERT INTO sessions (app_id, id, user_id, generation, key_thumbprint, last_proof, last_attempt,
            earlier_attempts, demands_nonce, method, scopes, device_id, device_model, device_type, os_version, country_code,
            created_at, last_seen_at, rotated_at, settled_generation, idle_expires_at, absolute_expires_at,
            revoked_at, purge_hour)
        VALUES (\(Statement.parameters(24)))
        """

    /// Writes what may change in a session.
    func replacement(with new: Session) -> Statement {
        let hour: [(any ColumnValue)?] = new.purgeHour == purgeHour ? [] : [new.purgeHour]
        return .guarded(
            hour.isEmpty ? Self.replacement : Self.replacementWithHour,
            [
                new.generation, new.lastProof, new.attempts.last, new.attempts.earlierWords,
                new.demandsNonce, StoredWords.text(of: new.scopes), new.device.id, new.device.model, new.device.type,
                new.device.osVersion, new.device.countryCode, new.lastSeenAt, new.rotatedAt, new.settledGeneration,
                new.idleExpiresAt, new.revokedAt,
            ] + hour + [appID, id, generation, revokedAt], orFail: .stale)
    }

    private static let replacement = replacement(hour: "", first: 17)
    /// The hour is in an index, and the databases keep an index untouched only if the statement does not name its column.
    private static let replacementWithHour = replacement(hour: ", purge_hour = $17", first: 18)

    /// - Parameter first: The number of the first parameter of the condition.
    private static func replacement(hour: String, first: Int) -> String {
        """
        UPDATE sessions SET generation = $1, last_proof = $2, last_attempt = $3, earlier_attempts = $4,
            demands_nonce = $5, scopes = $6, device_id = $7, device_model = $8, device_type = $9, os_version = $10,
            country_code = $11, last_seen_at = $12, rotated_at = $13, settled_generation = $14, idle_expires_at = $15,
            revoked_at = $16\(hour)
        WHERE app_id = $\(first) AND id = $\(first + 1) AND generation = $\(first + 2)
            AND revoked_at IS NOT DISTINCT FROM $\(first + 3)
        """
    }
}

extension Grant {
    package static let columns = "id, app_id, user_id, session_id, scope, mode, generation, expires_at"

    package init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), appID: try columns.next(), userID: try columns.next(),
            sessionID: try columns.next(), scope: try columns.next(), mode: try columns.next(),
            generation: try columns.next(), expiresAt: try columns.next())
    }

    /// The grants of a user whose session is live, including those of other sessions, ordered by id.
    ///
    /// - Parameters:
    ///   - user: An expression for the id of the user. `$1` is the app.
    ///   - now: The parameter of the time.
    package static func live(of user: String, at now: String, _ dialect: Dialect) -> String {
        """
        SELECT \(columns) FROM grants\(dialect.by("grants_by_user")) WHERE app_id = $1 AND user_id = \(user) AND EXISTS (
            SELECT 1 FROM sessions
            WHERE sessions.app_id = grants.app_id AND sessions.id = grants.session_id AND \(Session.isLive(at: now)))
        ORDER BY id
        """
    }

    var insertion: Statement {
        Statement(
            "INSERT INTO grants (\(Self.columns)) VALUES (\(Statement.parameters(8)))",
            [id, appID, userID, sessionID, scope, mode, generation, expiresAt])
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM grants WHERE app_id = $1 AND user_id = $2 AND id = $3", [appID, userID, id], orFail: .stale)
    }
}

extension SQLStore {
    package func session(_ id: String, app: AppID) async throws -> Session? {
        try await first(Statement(Session.byID, [app, id]), Session.init(reading:))
    }

    package func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)? {
        let statements = [
            Statement(Session.signedIn, [app, id]),
            Statement(
                """
                SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = (
                    SELECT user_id FROM sessions WHERE app_id = $1 AND id = $2) ORDER BY position
                """, [app, id]),
        ]
        return try await read(statements) { rows in
            let found = try rows[0].first { (try Session(reading: &$0), try User(reading: &$0)) }
            guard let session = found?.0, var user = found?.1 else { return nil }
            user.set(try rows[1].all(IdentifierRow.init(reading:)))
            return (session, user)
        }
    }

    /// The live sessions of a user that a filter selects. A user has few, so no index is needed for the filter.
    private var selection: String {
        """
        FROM sessions\(dialect.by("sessions_by_user"))
        WHERE app_id = $1 AND user_id = $2 AND \(Session.isLive(at: "$3"))
            AND (CAST($4 AS text) IS NULL OR device_id = $4) AND (CAST($5 AS text) IS NULL OR device_type = $5)
            AND (CAST($6 AS text) IS NULL OR country_code = $6)
        """
    }

    package func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, limit: Int, offset: Int
    ) async throws -> (sessions: [Session], total: Int) {
        let values: [(any ColumnValue)?] = [
            app, userID, now, filter.deviceID, filter.deviceType, filter.countryCode,
        ]
        let statements = [
            Statement(
                "SELECT \(Session.columns) \(selection) ORDER BY last_seen_at DESC, id DESC LIMIT $7 OFFSET $8",
                values + [limit, offset]),
            Statement("SELECT count(*) \(selection)", values),
        ]
        return try await read(statements) { rows in
            (try rows[0].all(Session.init(reading:)), try rows[1].total())
        }
    }

    package func sessions(
        of userID: String, app: AppID, filter: SessionFilter, now: Timestamp, after place: ListPlace, limit: Int
    ) async throws -> [Session] {
        let page = Statement(
            """
            SELECT \(Session.columns) \(selection) AND (last_seen_at, id) < ($7, $8)
            ORDER BY last_seen_at DESC, id DESC LIMIT $9
            """,
            [
                app, userID, now, filter.deviceID, filter.deviceType, filter.countryCode, place.time, place.id, limit,
            ])
        return try await all(page, Session.init(reading:))
    }

    package func grants(of userID: String, app: AppID, liveAt now: Timestamp) async throws -> [Grant] {
        try await all(
            Statement(Grant.live(of: "$2", at: "$3", dialect), [app, userID, now]), Grant.init(reading:))
    }

    package func grantedUsers(
        of scope: String, app: AppID, at now: Timestamp, among bound: Int
    ) async throws -> CountedUsers {
        let count = Statement(
            """
            SELECT count(DISTINCT CASE WHEN scope = $1 AND expires_at > $2 THEN user_id END), count(*)
            FROM (
                SELECT user_id, scope, expires_at FROM grants WHERE app_id = $3 ORDER BY user_id, id LIMIT $4) AS part
            """, [scope, now, app, bound])
        return try await counted(count, of: bound)
    }
}

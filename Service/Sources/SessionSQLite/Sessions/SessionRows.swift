internal import GRDB
internal import SessionDomain

extension Session {
    static let columns = """
        sessions.id, sessions.app_id, sessions.user_id, sessions.generation, sessions.key_thumbprint,
        sessions.last_proof, sessions.last_attempt, sessions.earlier_attempts, sessions.demands_nonce, sessions.scopes,
        sessions.device_id, sessions.device_model, sessions.device_type, sessions.os_version, sessions.country_code,
        sessions.created_at, sessions.last_seen_at, sessions.rotated_at, sessions.settled_generation,
        sessions.idle_expires_at, sessions.absolute_expires_at, sessions.revoked_at
        """

    init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), appID: try columns.next(), userID: try columns.next(),
            generation: try columns.next(), keyThumbprint: try columns.next(), lastProof: try columns.next(),
            attempts: RotationAttempts(last: try columns.next(), earlierWords: try columns.next()),
            demandsNonce: try columns.next(), scopes: StoredWords.read(try columns.next()),
            device: Device(
                id: try columns.next(), model: try columns.next(), type: try columns.next(),
                osVersion: try columns.next(), countryCode: try columns.next()),
            createdAt: try columns.next(), lastSeenAt: try columns.next(), rotatedAt: try columns.next(),
            settledGeneration: try columns.next(), idleExpiresAt: try columns.next(),
            absoluteExpiresAt: try columns.next(), revokedAt: try columns.next())
    }

    /// The first full hour at which housekeeping may delete the session.
    var purgeHour: Int64 { (keptUntil.milliseconds + Timestamp.hour - 1) / Timestamp.hour }
}

extension Timestamp {
    /// Milliseconds.
    static let hour: Int64 = 3_600_000
}

extension Database {
    static let isLive = "revoked_at IS NULL AND idle_expires_at > ? AND absolute_expires_at > ?"

    func session(_ id: String, app: AppID) throws -> Session? {
        try first(
            "SELECT \(Session.columns) FROM sessions WHERE app_id = ? AND id = ?", [app, id],
            as: Session.init(reading:))
    }

    private static let signedIn = """
        SELECT \(Session.columns), \(User.columns)
        FROM sessions JOIN users ON users.app_id = sessions.app_id AND users.id = sessions.user_id
        WHERE sessions.app_id = ? AND sessions.id = ?
        """

    /// A session with its user: one statement, and one for the identifiers.
    func signedIn(session id: String, app: AppID) throws -> (session: Session, user: User)? {
        let found = try first(Self.signedIn, [app, id]) { columns in
            (try Session(reading: &columns), try User(reading: &columns))
        }
        return try found.map { ($0.0, try withIdentifiers($0.1)) }
    }

    /// The table for statements about the sessions of one user. SQLite knows nothing of the sizes, and would read all sessions
    /// of the app in the order of their ids.
    static let sessionsOfUser = "sessions INDEXED BY sessions_by_user"

    func liveSessions(of user: User, at now: Timestamp) throws -> [Session] {
        try all(
            """
            SELECT \(Session.columns) FROM \(Self.sessionsOfUser)
            WHERE app_id = ? AND user_id = ? AND \(Self.isLive) ORDER BY id
            """,
            [user.appID, user.id, now, now], as: Session.init(reading:))
    }

    /// Reads only the surplus. For a user whose sessions, with those that have ended, are below the limit, it reads only
    /// entries of the index.
    func surplusSessions(of user: User, _ surplus: FactQuery.SurplusSelector) throws -> [Session] {
        let found = try count(
            "SELECT count(*) FROM sessions WHERE app_id = ? AND user_id = ?", [user.appID, user.id])
        guard found > surplus.keeping else { return [] }
        return try all(
            """
            SELECT \(Session.columns) FROM \(Self.sessionsOfUser)
            WHERE app_id = ? AND user_id = ? AND \(Self.isLive)
            ORDER BY last_seen_at DESC, id DESC LIMIT -1 OFFSET ?
            """, [user.appID, user.id, surplus.now, surplus.now, surplus.keeping], as: Session.init(reading:))
    }

    func insert(_ session: Session) throws {
        try run(
            """
            INSERT INTO sessions (app_id, id, user_id, generation, key_thumbprint, last_proof, last_attempt,
                earlier_attempts, demands_nonce, scopes, device_id, device_model, device_type, os_version, country_code,
                created_at, last_seen_at, rotated_at, settled_generation, idle_expires_at, absolute_expires_at,
                revoked_at, purge_hour)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                session.appID, session.id, session.userID, session.generation, session.keyThumbprint,
                session.lastProof, session.attempts.last, session.attempts.earlierWords,
                session.demandsNonce, StoredWords.text(of: session.scopes), session.device.id, session.device.model,
                session.device.type, session.device.osVersion, session.device.countryCode, session.createdAt,
                session.lastSeenAt, session.rotatedAt, session.settledGeneration, session.idleExpiresAt,
                session.absoluteExpiresAt, session.revokedAt, session.purgeHour,
            ])
    }

    /// Writes what may change in a session.
    func replace(_ old: Session, with new: Session) throws {
        try run(
            """
            UPDATE sessions SET generation = ?, last_proof = ?, last_attempt = ?, earlier_attempts = ?,
                demands_nonce = ?, scopes = ?, device_id = ?, device_model = ?, device_type = ?, os_version = ?,
                country_code = ?, last_seen_at = ?, rotated_at = ?, settled_generation = ?, idle_expires_at = ?,
                revoked_at = ?
            WHERE app_id = ? AND id = ? AND generation = ? AND revoked_at IS ?
            """,
            [
                new.generation, new.lastProof, new.attempts.last, new.attempts.earlierWords,
                new.demandsNonce, StoredWords.text(of: new.scopes), new.device.id, new.device.model, new.device.type,
                new.device.osVersion, new.device.countryCode, new.lastSeenAt, new.rotatedAt,
                new.settledGeneration, new.idleExpiresAt, new.revokedAt, old.appID, old.id, old.generation,
                old.revokedAt,
            ], orFail: .stale)
        if new.purgeHour != old.purgeHour {
            try run(
                "UPDATE sessions SET purge_hour = ? WHERE app_id = ? AND id = ?", [new.purgeHour, old.appID, old.id])
        }
    }
}

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
    private var purgeHour: Int64 { (keptUntil.milliseconds + Timestamp.hour - 1) / Timestamp.hour }

    var insertion: Statement {
        Statement(
            Self.insertion,
            [
                appID, id, userID, generation, keyThumbprint, lastProof, attempts.last,
                attempts.earlierWords, demandsNonce, StoredWords.text(of: scopes), device.id,
                device.model, device.type, device.osVersion, device.countryCode, createdAt, lastSeenAt, rotatedAt,
                settledGeneration, idleExpiresAt, absoluteExpiresAt, revokedAt, purgeHour,
            ])
    }

    private static let insertion = """
        INSERT INTO sessions (app_id, id, user_id, generation, key_thumbprint, last_proof, last_attempt,
            earlier_attempts, demands_nonce, scopes, device_id, device_model, device_type, os_version, country_code,
            created_at, last_seen_at, rotated_at, settled_generation, idle_expires_at, absolute_expires_at,
            revoked_at, purge_hour)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23)
        """

    /// Writes what may change in a session.
    func replacement(with new: Session) -> Statement {
        .guarded(
            new.purgeHour == purgeHour ? Self.replacement : Self.replacementWithHour,
            [
                new.generation, new.lastProof, new.attempts.last, new.attempts.earlierWords,
                new.demandsNonce, StoredWords.text(of: new.scopes), new.device.id, new.device.model, new.device.type,
                new.device.osVersion, new.device.countryCode, new.lastSeenAt, new.rotatedAt, new.settledGeneration,
                new.idleExpiresAt, new.revokedAt, appID, id, generation, revokedAt,
            ] + (new.purgeHour == purgeHour ? [] : [new.purgeHour]), orFail: .stale)
    }

    private static let replacement = replacement(also: "")
    /// The hour is in an index, and PostgreSQL keeps indexes untouched only if the statement does not name it.
    private static let replacementWithHour = replacement(also: ", purge_hour = $21")

    private static func replacement(also more: String) -> String {
        """
        UPDATE sessions SET generation = $1, last_proof = $2, last_attempt = $3, earlier_attempts = $4,
            demands_nonce = $5, scopes = $6, device_id = $7, device_model = $8, device_type = $9, os_version = $10,
            country_code = $11, last_seen_at = $12, rotated_at = $13, settled_generation = $14, idle_expires_at = $15,
            revoked_at = $16\(more)
        WHERE app_id = $17 AND id = $18 AND generation = $19 AND revoked_at IS NOT DISTINCT FROM $20
        """
    }

    /// - Parameter now: The parameter of the time, such as `$3`.
    static func isLive(at now: String) -> String {
        "sessions.revoked_at IS NULL AND sessions.idle_expires_at > \(now) AND sessions.absolute_expires_at > \(now)"
    }
}

extension Timestamp {
    /// Milliseconds.
    static let hour: Int64 = 3_600_000

    /// The full hours since 1970.
    var hour: Int64 { milliseconds / Self.hour }
}

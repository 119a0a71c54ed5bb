package import SessionDomain

extension Passkey {
    package static let columns = """
        passkeys.id, passkeys.app_id, passkeys.user_id, passkeys.user_handle, passkeys.public_key, passkeys.counter,
        passkeys.aaguid, passkeys.rp_id, passkeys.transports, passkeys.is_backup_eligible, passkeys.is_backed_up,
        passkeys.nickname, passkeys.created_at, passkeys.last_used_at
        """

    /// Oldest first.
    ///
    /// - Parameter user: An expression for the id of the user. `$1` is the app.
    package static func all(of user: String) -> String {
        "SELECT \(columns) FROM passkeys WHERE app_id = $1 AND user_id = \(user) ORDER BY created_at, id"
    }

    package init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), appID: try columns.next(), userID: try columns.next(),
            userHandle: try columns.next(), publicKey: try columns.next(), counter: try columns.next(),
            aaguid: try columns.next(), relyingPartyID: try columns.next(),
            transports: StoredWords.read(try columns.next()), isBackupEligible: try columns.next(),
            isBackedUp: try columns.next(), nickname: try columns.next(), createdAt: try columns.next(),
            lastUsedAt: try columns.next())
    }

    var insertion: Statement {
        .guarded(
            """
            INSERT INTO passkeys (id, app_id, user_id, user_handle, public_key, counter, aaguid, rp_id, transports,
                is_backup_eligible, is_backed_up, nickname, created_at, last_used_at)
            VALUES (\(Statement.parameters(14))) ON CONFLICT (app_id, id) DO NOTHING
            """,
            [
                id, appID, userID, userHandle, publicKey, counter, aaguid, relyingPartyID,
                StoredWords.text(of: transports), isBackupEligible, isBackedUp, nickname, createdAt, lastUsedAt,
            ], orFail: .taken(.passkey(id)))
    }

    /// Writes what a use and a new name change.
    func replacement(with new: Passkey) -> Statement {
        .guarded(
            """
            UPDATE passkeys SET counter = $1, is_backed_up = $2, nickname = $3, last_used_at = $4
            WHERE app_id = $5 AND id = $6 AND user_id = $7 AND counter = $8
            """,
            [new.counter, new.isBackedUp, new.nickname, new.lastUsedAt, appID, id, userID, counter], orFail: .stale)
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM passkeys WHERE app_id = $1 AND id = $2 AND user_id = $3", [appID, id, userID],
            orFail: .stale)
    }
}

extension SQLStore {
    package func passkey(_ id: String, app: AppID) async throws -> Passkey? {
        try await first(
            Statement("SELECT \(Passkey.columns) FROM passkeys WHERE app_id = $1 AND id = $2", [app, id]),
            Passkey.init(reading:))
    }

    package func passkeys(of userID: String, app: AppID) async throws -> [Passkey] {
        try await all(Statement(Passkey.all(of: "$2"), [app, userID]), Passkey.init(reading:))
    }
}

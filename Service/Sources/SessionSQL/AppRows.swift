package import SessionDomain

extension App {
    package static let all = "SELECT settings FROM apps ORDER BY created_at, id"
    package static let byID = "SELECT settings FROM apps WHERE id = $1"

    package init(reading columns: inout ColumnReader) throws { self = try StoredJSON.value(try columns.next()) }

    func insertion() throws -> Statement {
        .guarded(
            "INSERT INTO apps (id, created_at, settings) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            [id, createdAt, try StoredJSON.text(self)], orFail: .taken(.app(id)))
    }

    /// The row is locked since it was read, so it is as it was read.
    func update() throws -> Statement {
        .guarded("UPDATE apps SET settings = $1 WHERE id = $2", [try StoredJSON.text(self), id], orFail: .stale)
    }
}

extension StoredSigningKey {
    private static let columns = """
        app_id, purpose, key_id, algorithm, sealed_private_key, created_at, active_from, retires_at, remove_after
        """
    private static let lastToSignFirst = "ORDER BY active_from DESC, sequence DESC"

    package static let ofPurpose =
        "SELECT \(columns) FROM signing_keys WHERE app_id = $1 AND purpose = $2 \(lastToSignFirst)"
    static let ofApp = "SELECT \(columns) FROM signing_keys WHERE app_id = $1 \(lastToSignFirst)"

    package init(reading columns: inout ColumnReader) throws {
        self.init(
            appID: try columns.next(), purpose: try columns.next(), keyID: try columns.next(),
            algorithm: try columns.next(), sealedPrivateKey: try columns.next(), createdAt: try columns.next(),
            activeFrom: try columns.next() as Timestamp, retiresAt: try columns.next() as Timestamp?,
            removeAfter: try columns.next() as Timestamp?)
    }

    func insertion(_ order: WriteOrder) -> Statement {
        Statement(
            """
            INSERT INTO signing_keys (\(Self.columns)\(order.column))
            VALUES (\(Statement.parameters(9))\(order.expression(10)))
            """,
            [appID, purpose, keyID, algorithm, sealedPrivateKey, createdAt, activeFrom, retiresAt, removeAfter]
                + order.values)
    }

    /// Writes the times and the sealed private key.
    func replacement(with new: StoredSigningKey) -> Statement {
        .guarded(
            """
            UPDATE signing_keys SET created_at = $1, active_from = $2, retires_at = $3, remove_after = $4,
                sealed_private_key = $5
            WHERE app_id = $6 AND purpose = $7 AND key_id = $8 AND sealed_private_key = $9 AND created_at = $10
                AND active_from = $11 AND retires_at IS NOT DISTINCT FROM $12 AND remove_after IS NOT DISTINCT FROM $13
            """,
            [
                new.createdAt, new.activeFrom, new.retiresAt, new.removeAfter, new.sealedPrivateKey, appID, purpose,
                keyID, sealedPrivateKey, createdAt, activeFrom, retiresAt, removeAfter,
            ], orFail: .stale)
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM signing_keys WHERE app_id = $1 AND purpose = $2 AND key_id = $3", [appID, purpose, keyID],
            orFail: .stale)
    }
}

extension ManagementKey {
    private static let columns = "id, name, app_id, hash, role, created_by, created_at, expires_at, last_used_at"

    package static let all = "SELECT \(columns) FROM management_keys ORDER BY created_at, id"
    static let byHash = "SELECT \(columns) FROM management_keys WHERE hash = $1"

    package init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), name: try columns.next(), appID: try columns.next(), hash: try columns.next(),
            role: try columns.next(), createdBy: try columns.next(), createdAt: try columns.next(),
            expiresAt: try columns.next(), lastUsedAt: try columns.next())
    }

    var insertion: Statement {
        .guarded(
            """
            INSERT INTO management_keys (\(Self.columns)) VALUES (\(Statement.parameters(9)))
            ON CONFLICT (hash) DO NOTHING
            """, [id, name, appID, hash, role, createdBy, createdAt, expiresAt, lastUsedAt],
            orFail: .taken(.managementKey(hash: hash)))
    }

    var deletion: Statement { .guarded("DELETE FROM management_keys WHERE id = $1", [id], orFail: .stale) }

    func reassignment(to new: ManagementKey) -> Statement {
        Statement(
            "UPDATE management_keys SET created_by = $1 WHERE created_by = $2",
            [ManagementKey.Creator.key(new.id), ManagementKey.Creator.key(id)])
    }

    static func use(of id: String, at time: Timestamp) -> Statement {
        Statement(
            "UPDATE management_keys SET last_used_at = $1 WHERE id = $2 AND coalesce(last_used_at, 0) < $1", [time, id])
    }
}

/// The ids of the master keys that have sealed signing keys, and secrets in the settings of apps.
package enum SealedSettings {
    package static func statements(_ dialect: Dialect) -> [Statement] {
        let id = "substr(sealed_private_key, 1, $1)"
        let text = dialect == .sqlite ? "CAST(\(id) AS TEXT)" : "convert_from(\(id), 'UTF8')"
        return [
            Statement("SELECT DISTINCT \(text) FROM signing_keys", [MasterKey.idLength]), Statement(App.all),
        ]
    }

    /// - Parameter rows: Those of the statements.
    package static func keyIDs(_ rows: [any StoredRows]) throws -> Set<String> {
        let ids: [String] = try rows[0].all { try $0.next() }
        return try rows[1].all(App.init(reading:)).compactMap(\.delivery?.sealingKeyIDs).reduce(into: Set(ids)) {
            $0.formUnion($1)
        }
    }
}

extension SQLStore {
    package func apps() async throws -> [App] { try await all(Statement(App.all), App.init(reading:)) }

    package func app(_ id: AppID) async throws -> App? {
        try await first(Statement(App.byID, [id]), App.init(reading:))
    }

    package func signingKeys(of id: AppID) async throws -> [StoredSigningKey] {
        try await all(Statement(StoredSigningKey.ofApp, [id]), StoredSigningKey.init(reading:))
    }

    package func sealingKeyIDs() async throws -> Set<String> {
        try await read(SealedSettings.statements(dialect)) { try SealedSettings.keyIDs($0) }
    }

    package func managementKey(hash: String) async throws -> ManagementKey? {
        try await first(Statement(ManagementKey.byHash, [hash]), ManagementKey.init(reading:))
    }

    package func managementKeys() async throws -> [ManagementKey] {
        try await all(Statement(ManagementKey.all), ManagementKey.init(reading:))
    }
}

internal import GRDB
package import SessionDomain

extension SQLiteStore: ManagementKeyStore {
    package func managementKey(hash: String) async throws -> ManagementKey? {
        try await read { db in
            try db.first(
                "SELECT \(ManagementKey.columns) FROM management_keys WHERE hash = ?", [hash],
                as: ManagementKey.init(reading:))
        }
    }

    package func managementKeys() async throws -> [ManagementKey] { try await read { try $0.managementKeys() } }
}

extension ManagementKey.Role: DatabaseValueConvertible {}
extension ManagementKey.Creator: DatabaseValueConvertible {}

extension ManagementKey {
    fileprivate static let columns =
        "id, name, app_id, hash, role, created_by, created_at, expires_at, last_used_at"

    fileprivate init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), name: try columns.next(), appID: try columns.next(), hash: try columns.next(),
            role: try columns.next(), createdBy: try columns.next(), createdAt: try columns.next(),
            expiresAt: try columns.next(), lastUsedAt: try columns.next())
    }
}

extension Database {
    func managementKeys() throws -> [ManagementKey] {
        try all(
            "SELECT \(ManagementKey.columns) FROM management_keys ORDER BY created_at, id",
            as: ManagementKey.init(reading:))
    }

    func insert(_ key: ManagementKey) throws {
        try run(
            """
            INSERT INTO management_keys (\(ManagementKey.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (hash) DO NOTHING
            """,
            [
                key.id, key.name, key.appID, key.hash, key.role, key.createdBy, key.createdAt, key.expiresAt,
                key.lastUsedAt,
            ], orFail: .taken(.managementKey(hash: key.hash)))
    }

    func delete(_ key: ManagementKey) throws {
        try run("DELETE FROM management_keys WHERE id = ?", [key.id], orFail: .stale)
    }

    func reassignManagementKeys(of old: ManagementKey, to new: ManagementKey) throws {
        try run(
            "UPDATE management_keys SET created_by = ? WHERE created_by = ?",
            [ManagementKey.Creator.key(new.id), ManagementKey.Creator.key(old.id)])
    }

    func recordManagementKeyUse(_ id: String, at time: Timestamp) throws {
        try run(
            "UPDATE management_keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?",
            [time, id, time])
    }
}

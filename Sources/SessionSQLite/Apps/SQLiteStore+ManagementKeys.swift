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

    package func managementKeys() async throws -> [ManagementKey] {
        try await read { db in
            try db.all(
                "SELECT \(ManagementKey.columns) FROM management_keys ORDER BY created_at, id",
                as: ManagementKey.init(reading:))
        }
    }
}

extension ManagementKey {
    fileprivate static let columns = "id, name, app_id, hash, created_at"

    fileprivate init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), name: try columns.next(), appID: try columns.next(), hash: try columns.next(),
            createdAt: try columns.next())
    }
}

extension Database {
    func managementKey(_ id: String) throws -> ManagementKey? {
        try first(
            "SELECT \(ManagementKey.columns) FROM management_keys WHERE id = ?", [id],
            as: ManagementKey.init(reading:))
    }

    func insert(_ key: ManagementKey) throws {
        try run(
            """
            INSERT INTO management_keys (\(ManagementKey.columns)) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (hash) DO NOTHING
            """, [key.id, key.name, key.appID, key.hash, key.createdAt],
            orFail: .taken(.managementKey(hash: key.hash)))
    }

    func delete(_ key: ManagementKey) throws {
        try run("DELETE FROM management_keys WHERE id = ?", [key.id], orFail: .stale)
    }
}

internal import GRDB
package import SessionDomain

extension SQLiteStore: ManagementKeyStore {
    private static let insert =
        "INSERT INTO management_keys (id, hash, name, app_id, created_at) VALUES (?, ?, ?, ?, ?)"
    private static let select = "SELECT id, name, app_id, hash, created_at FROM management_keys"

    package func insertManagementKey(_ key: ManagementKey) async throws {
        try await write { db in _ = try db.run(Self.insert, Self.arguments(key)) }
    }

    package func ensureManagementKey(_ key: ManagementKey) async throws {
        try await write { db in _ = try db.run(Self.insert + " ON CONFLICT (hash) DO NOTHING", Self.arguments(key)) }
    }

    package func managementKey(hash: String) async throws -> ManagementKey? {
        try await read { db in try db.first(Self.select + " WHERE hash = ?", [hash], as: Self.key) }
    }

    package func managementKeys() async throws -> [ManagementKey] {
        try await read { db in try db.all(Self.select + " ORDER BY created_at, id", as: Self.key) }
    }

    package func deleteManagementKey(id: String) async throws -> Bool {
        try await write { db in try db.run("DELETE FROM management_keys WHERE id = ?", [id]) == 1 }
    }

    private static func arguments(_ key: ManagementKey) -> StatementArguments {
        [key.id, key.hash, key.name, key.appID, key.createdAt]
    }

    private static func key(_ columns: inout ColumnReader) throws -> ManagementKey {
        ManagementKey(
            id: try columns.next(), name: try columns.next(), appID: try columns.next(), hash: try columns.next(),
            createdAt: try columns.next())
    }
}

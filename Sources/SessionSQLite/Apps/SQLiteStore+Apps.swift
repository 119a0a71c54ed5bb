internal import GRDB
package import SessionDomain

@available(service, *)
extension SQLiteStore: AppStore {
    package func apps() async throws -> [App] {
        try await read { db in
            try db.all("SELECT settings FROM apps ORDER BY created_at, id") { try StoredJSON.value(try $0.next()) }
        }
    }

    package func app(_ id: AppID) async throws -> App? {
        try await read { db in try db.app(id) }
    }

    package func signingKeys(of id: AppID) async throws -> [StoredSigningKey] {
        try await read { db in try db.signingKeys(of: id) }
    }

    package func sealingKeyIDs() async throws -> Set<String> {
        try await read { db in try db.sealingKeyIDs() }
    }
}

extension Database {
    func app(_ id: AppID) throws -> App? {
        try first("SELECT settings FROM apps WHERE id = ?", [id]) { try StoredJSON.value(try $0.next()) }
    }

    func insert(_ app: App) throws {
        try run(
            "INSERT INTO apps (id, created_at, settings) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
            [app.id, app.createdAt, try StoredJSON.text(app)], orFail: .taken(.app(app.id)))
    }

    func update(_ app: App) throws {
        try run("UPDATE apps SET settings = ? WHERE id = ?", [try StoredJSON.text(app), app.id], orFail: .stale)
    }
}

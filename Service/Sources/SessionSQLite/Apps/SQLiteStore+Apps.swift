internal import GRDB
package import SessionDomain

extension SQLiteStore: AppStore {
    package func apps() async throws -> [App] { try await read { db in try db.apps() } }

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
    func apps() throws -> [App] {
        try all("SELECT settings FROM apps ORDER BY created_at, id") { try StoredJSON.value(try $0.next()) }
    }

    /// The ids of the master keys that have sealed signing keys, and secrets in the settings of apps.
    func sealingKeyIDs() throws -> Set<String> {
        let ofSigningKeys: [String] = try all(
            "SELECT DISTINCT CAST(substr(sealed_private_key, 1, ?) AS TEXT) FROM signing_keys", [MasterKey.idLength]
        ) { try $0.next() }
        return try apps().compactMap(\.delivery?.sealingKeyIDs).reduce(into: Set(ofSigningKeys)) { $0.formUnion($1) }
    }

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

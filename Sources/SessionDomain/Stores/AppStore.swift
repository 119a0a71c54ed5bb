/// Apps with their settings and keys.
package protocol AppStore: Sendable {
    /// All apps, oldest first.
    func apps() async throws -> [App]
    func app(_ id: AppID) async throws -> App?
    /// Inserts an app with its first keys; `false` when the id is taken.
    func createApp(_ app: App, keys: [StoredSigningKey]) async throws -> Bool
    /// Reads, changes and writes the settings in one transaction; `nil` for an unknown app.
    /// What the closure throws is thrown, and nothing is written. Grants and challenges of scopes that are not among
    /// `App.scopesKept` after the change are deleted with it.
    func updateApp<Answer: Sendable>(
        _ id: AppID, _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer?
    /// All keys of an app, newest first.
    func signingKeys(of id: AppID) async throws -> [StoredSigningKey]
    /// All hook keys of an app, newest first.
    func hookKeys(of id: AppID) async throws -> [StoredHookKey]
    /// Inserts a hook key unless the app has one.
    func insertFirstHookKey(_ key: StoredHookKey) async throws
}

/// Keys of the management API.
package protocol ManagementKeyStore: Sendable {
    func insertManagementKey(_ key: ManagementKey) async throws
    /// Inserts the key unless one with this hash is there already.
    func ensureManagementKey(_ key: ManagementKey) async throws
    func managementKey(hash: String) async throws -> ManagementKey?
    func managementKeys() async throws -> [ManagementKey]
    /// `false` when there is no such key.
    func deleteManagementKey(id: String) async throws -> Bool
}

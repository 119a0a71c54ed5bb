package import Foundation

/// Apps with their settings and keys.
package protocol AppStore: SigningKeyStore {
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
}

/// Keys that sign tokens, hooks and webhooks.
package protocol SigningKeyStore: Sendable {
    /// All keys of an app, the last to sign first.
    func signingKeys(of id: AppID) async throws -> [StoredSigningKey]
    /// Does to the keys of one purpose what `KeyRotation.decide` says, with its events, in one transaction; `nil` for an
    /// unknown app. Nothing is written when a key is wanted that was not brought.
    func rotateSigningKeys(_ rotation: KeyRotation) async throws -> KeyRotationDecision?
    /// Writes a key sealed anew, if it is still sealed as it was; `false` otherwise.
    func resealSigningKey(_ key: StoredSigningKey, replacing sealed: Data) async throws -> Bool
    /// The names of the master keys under which keys are sealed.
    func sealingKeyIDs() async throws -> Set<String>
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

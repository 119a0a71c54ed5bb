/// Reads apps with their settings and keys.
package protocol AppStore: SigningKeyStore {
    /// All apps, oldest first.
    func apps() async throws -> [App]
    func app(_ id: AppID) async throws -> App?
}

/// Reads the keys that sign tokens, hooks and webhooks.
package protocol SigningKeyStore: IntentStore {
    /// All keys of an app, the last to sign first.
    func signingKeys(of id: AppID) async throws -> [StoredSigningKey]
    /// The ids of the master keys under which keys are sealed.
    func sealingKeyIDs() async throws -> Set<String>
}

/// Reads the keys of the management API.
package protocol ManagementKeyStore: IntentStore {
    func managementKey(hash: String) async throws -> ManagementKey?
    /// Oldest first.
    func managementKeys() async throws -> [ManagementKey]
}

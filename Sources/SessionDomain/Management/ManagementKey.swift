/// A key of the management API as it is stored. It contains the hash, never the secret.
package struct ManagementKey: Sendable, Equatable {
    /// `mk_` and a ULID.
    package let id: String
    package let name: String
    /// The app that the key is valid for. `nil`: all apps.
    package let appID: AppID?
    /// SHA-256 of the secret in base64url. The secret has 256 random bits, so no slow hash is needed.
    package let hash: String
    package let createdAt: Timestamp

    package init(id: String, name: String, appID: AppID?, hash: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.appID = appID
        self.hash = hash
        self.createdAt = createdAt
    }
}

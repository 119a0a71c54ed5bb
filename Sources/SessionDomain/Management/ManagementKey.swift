/// A key of the management API, as stored: never the key itself.
package struct ManagementKey: Sendable, Equatable {
    /// `mk_` and a ULID.
    package let id: String
    package let name: String
    /// The app it is good for; `nil` is every app.
    package let appID: AppID?
    /// SHA-256 in base64url; the key has 256 random bits, so nothing slower is needed.
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

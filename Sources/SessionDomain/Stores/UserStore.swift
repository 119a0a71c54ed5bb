/// Reads users with their identifiers.
package protocol UserStore: IntentStore {
    func user(_ id: String, app: AppID) async throws -> User?
    func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User?
    func user(externalID: String, app: AppID) async throws -> User?
    /// Newest first.
    func users(app: AppID, limit: Int, offset: Int) async throws -> (users: [User], total: Int)
}

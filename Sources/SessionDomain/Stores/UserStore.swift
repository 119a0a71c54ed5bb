package import SessionTokens

/// Users with their identifiers and passwords. Every change appends its events in the same transaction.
package protocol UserStore: Sendable {
    /// Inserts a user with identifiers and an optional password hash; `.identifierTaken` or `.externalIDTaken` when
    /// somebody of the app has one of them.
    func createUser(_ user: User, passwordHash: String?, events: [Event]) async throws -> CreateUserOutcome
    func user(_ id: String, app: AppID) async throws -> User?
    func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User?
    func user(externalID: String, app: AppID) async throws -> User?
    /// Newest first.
    func users(app: AppID, limit: Int, offset: Int) async throws -> (users: [User], total: Int)
    /// Deletes the user with everything of theirs: identifiers, password, sessions, running verifications.
    func deleteUser(_ id: String, app: AppID, events: [Event]) async throws -> Bool
    /// Sets the status; anything but active ends all sessions of the user and their running verifications in the same
    /// transaction (R8). `nil` for an unknown user.
    func setStatus(_ status: User.Status, user id: String, app: AppID, now: Timestamp, events: EventFactory)
        async throws
        -> User?
    /// Stores a password hash, deletes the outstanding codes of the user's identifiers (O12) with the user's open
    /// challenges and grants, and ends the user's sessions when asked to. `nil` for an unknown user.
    func setPassword(
        hash: String, user id: String, app: AppID, endingSessions: Bool, now: Timestamp, events: EventFactory
    ) async throws -> User?
    /// Replaces a hash by a costlier one of the same password, unless it has changed meanwhile.
    func upgradePasswordHash(from old: String, to new: String, user id: String, app: AppID) async throws
    /// Replaces the external id (`nil` removes it).
    func setExternalID(_ externalID: String?, user id: String, app: AppID, now: Timestamp) async throws
        -> UpdateUserOutcome
    /// Merges into the profile; a null removes its key.
    func mergeProfile(
        _ changes: [String: JSONValue], user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) async throws -> UpdateUserOutcome
    func addIdentifier(
        _ identifier: CanonicalIdentifier, user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) async throws -> UpdateUserOutcome
    /// Also deletes running verifications of the identifier, and the user's challenges and grants: they may rest on it.
    func removeIdentifier(
        _ identifier: CanonicalIdentifier, user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) async throws -> UpdateUserOutcome
    func adoptUser(_ intent: AdoptUser) async throws -> AdoptUserOutcome
}

package enum CreateUserOutcome: Sendable, Equatable {
    case created
    case identifierTaken
    case externalIDTaken
}

package enum UpdateUserOutcome: Sendable, Equatable {
    case updated(User)
    /// Somebody else of the app has it.
    case taken
    /// The user has as many as a user can have.
    case full
    case notFound
}

import PreludeSession
import SessionDomain

extension TestService {
    /// Creates a user with an e-mail address, a phone number or both.
    ///
    /// - Parameters:
    ///   - email: An e-mail address to sign in with.
    ///   - phone: A phone number to sign in with, in the international form such as `+14155551234`.
    ///   - password: A password for the e-mail address: at least eight characters, and not a common one such as `password1`.
    /// - Returns: The user's id, as in `PreludeProfile.userID`.
    /// - Throws: `TestServiceError` for a value that the service would reject.
    @discardableResult
    public func createUser(
        email: String? = nil, phone: String? = nil, password: String? = nil
    ) async throws -> String {
        let identifiers = try [email, phone].compactMap { try $0.map { try CanonicalIdentifier(typed: $0) } }
        guard !identifiers.isEmpty else { throw TestServiceError("createUser needs an email, a phone or both") }
        guard password == nil || email != nil else {
            throw TestServiceError("a password needs an email; pass an email to createUser")
        }
        return try await explained {
            try await world.service.users.create(app: world.appID, identifiers: identifiers, password: password).id
        }
    }

    /// Revokes all sessions of a user. Clients notice at their next refresh.
    ///
    /// - Parameter user: The id, an e-mail address or a phone number of the user.
    /// - Throws: `TestServiceError` when the user does not exist.
    public func revokeEverything(of user: String) async throws {
        let id = try await userID(user)
        _ = try await explained { try await world.service.users.endSessions(.all, of: id, app: world.appID) }
    }

    /// Suspends a user: all sessions are revoked, and the user cannot sign in.
    ///
    /// - Parameter user: The user, as for `revokeEverything(of:)`.
    /// - Throws: `TestServiceError` when the user does not exist.
    public func suspend(_ user: String) async throws {
        let id = try await userID(user)
        _ = try await explained { try await world.service.users.setStatus(.suspended, user: id, app: world.appID) }
    }

    private func userID(_ user: String) async throws -> String {
        guard !user.hasPrefix("usr_") else { return user }
        let identifier = try CanonicalIdentifier(typed: user)
        do {
            return try await world.service.users.user(with: identifier, app: world.appID).id
        } catch Refusal.notFound {
            throw TestServiceError("the user \(user) does not exist; sign in once, or call createUser first")
        }
    }

    /// Turns a rejection by the service into an error that tells the author of a test what to do.
    func explained<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        do {
            return try await work()
        } catch let refusal as Refusal {
            switch refusal {
            case .invalidPassword(let problem): throw TestServiceError(problem)
            case .invalidField(let field, let problem): throw TestServiceError("\(field) \(problem)")
            case .identifierTaken:
                throw TestServiceError("another user has this email or phone; use a different one for each user")
            case .notFound(let problem): throw TestServiceError("\(problem); sign in once, or call createUser first")
            default: throw TestServiceError("the service rejected the call: \(refusal)")
            }
        }
    }
}

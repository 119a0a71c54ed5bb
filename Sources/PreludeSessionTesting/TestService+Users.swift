import PreludeSession
import SessionDomain

extension TestService {
    /// Creates a user who can sign in by whatever is given.
    ///
    /// - Parameters:
    ///   - email: An e-mail address to sign in with.
    ///   - phone: A phone number to sign in with, in the international form such as `+14155551234`.
    ///   - password: At least eight characters; it goes with an e-mail address.
    /// - Returns: The user's id, as in `PreludeProfile.userID`.
    /// - Throws: `TestServiceError` for what the service would not take.
    @discardableResult
    public func createUser(
        email: String? = nil, phone: String? = nil, password: String? = nil
    ) async throws -> String {
        let identifiers = try [email, phone].compactMap { try $0.map { try CanonicalIdentifier(typed: $0) } }
        guard !identifiers.isEmpty else { throw TestServiceError("createUser needs an email, a phone or both") }
        guard password == nil || email != nil else {
            throw TestServiceError("a password signs in together with an email; give createUser one")
        }
        return try await explained {
            try await world.service.users.create(app: world.app, identifiers: identifiers, password: password).id
        }
    }

    /// Ends all sessions of a user, as another device or your support would. Clients notice at their next refresh.
    ///
    /// - Parameter user: The user's id, or an e-mail address or phone number of theirs.
    /// - Throws: `TestServiceError` when there is no such user.
    public func revokeEverything(of user: String) async throws {
        let id = try await userID(user)
        _ = try await explained { try await world.service.users.endSessions(.all, of: id, app: world.app) }
    }

    /// Locks a user out: their sessions end, and nothing signs them in any more.
    ///
    /// - Parameter user: As for `revokeEverything(of:)`.
    /// - Throws: `TestServiceError` when there is no such user.
    public func suspend(_ user: String) async throws {
        let id = try await userID(user)
        _ = try await explained { try await world.service.users.setStatus(.suspended, user: id, app: world.app) }
    }

    private func userID(_ user: String) async throws -> String {
        guard !user.hasPrefix("usr_") else { return user }
        let identifier = try CanonicalIdentifier(typed: user)
        do {
            return try await world.service.users.user(with: identifier, app: world.app).id
        } catch Refusal.notFound {
            throw TestServiceError("there is no user \(user); sign in once, or call createUser first")
        }
    }

    /// The service's own refusals, in words for whoever writes the test.
    func explained<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        do {
            return try await work()
        } catch let refusal as Refusal {
            switch refusal {
            case .invalidPassword(let problem): throw TestServiceError(problem)
            case .invalidField(let field, let problem): throw TestServiceError("\(field) \(problem)")
            case .identifierTaken:
                throw TestServiceError("another user has this email or phone; use one per user")
            case .notFound(let problem): throw TestServiceError("\(problem); sign in once, or call createUser first")
            default: throw TestServiceError("the service refused: \(refusal)")
            }
        }
    }
}

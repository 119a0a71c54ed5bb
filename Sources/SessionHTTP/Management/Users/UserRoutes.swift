import Hummingbird
import SessionDomain
import SessionWire

/// Users in the management API.
@available(service, *)
struct UserRoutes: Sendable {
    let users: UserManagement

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(CreateUserBody.self)
        let identifiers = try body.identifiers.enumerated().map { index, identifier in
            try CanonicalIdentifier(identifier, field: "identifiers.[\(index)]")
        }
        let user = try await users.create(
            app: context.appID, identifiers: identifiers, password: body.password, externalID: body.externalID,
            profile: body.profile ?? [:])
        return try .json(UserBody(user), status: .created)
    }

    /// All users, or the user with the identifier of the query parameters `identifier_type` and `identifier_value`.
    @Sendable func find(_ request: Request, context: OperatorContext) async throws -> Response {
        if let type = request.uri.queryParameters["identifier_type"] {
            let identifier = try CanonicalIdentifier(
                type: String(type), value: request.uri.queryParameters["identifier_value"].map(String.init) ?? "",
                isSearched: true)
            let user = try await users.user(with: identifier, app: context.appID)
            return try .json(UserListBody(users: [UserBody(user)], total: 1, limit: 1, offset: 0))
        }
        let page = try Page(request)
        let (found, total) = try await users.users(app: context.appID, limit: page.limit, offset: page.offset)
        return try .json(
            UserListBody(users: found.map(UserBody.init), total: total, limit: page.limit, offset: page.offset))
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(UserBody(try await users.user(try context.userID, app: context.appID)))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await users.delete(try context.userID, app: context.appID)
        return .noContent
    }

    @Sendable func setStatus(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(StatusBody.self)
        guard let status = User.Status(rawValue: body.status) else {
            throw Refusal.invalidField("status", "must be active, inactive or suspended")
        }
        let user = try await users.setStatus(status, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func setPassword(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(SetPasswordBody.self)
        _ = try await users.setPassword(
            body.password, user: try context.userID, app: context.appID,
            endingSessions: body.revokeSessions ?? true)
        return .noContent
    }

    @Sendable func clearLimits(_ request: Request, context: OperatorContext) async throws -> Response {
        _ = try await users.clearLimits(of: try context.userID, app: context.appID)
        return .noContent
    }

    @Sendable func setExternalID(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(ExternalIDBody.self)
        let user = try await users.setExternalID(body.externalID, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func mergeProfile(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(ProfileBody.self)
        let user = try await users.mergeProfile(body.profile, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func addIdentifier(_ request: Request, context: OperatorContext) async throws -> Response {
        let identifier = try CanonicalIdentifier(try await request.decode(Identifier.self))
        let user = try await users.addIdentifier(identifier, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func removeIdentifier(_ request: Request, context: OperatorContext) async throws -> Response {
        let identifier = try CanonicalIdentifier(try await request.decode(Identifier.self), isSearched: true)
        let user = try await users.removeIdentifier(identifier, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }
}

@available(service, *)
extension OperatorContext {
    /// The user id of the path.
    var userID: String {
        get throws {
            guard let id = parameters.get("user_id") else { throw Refusal.notFound("there is no such user") }
            return id
        }
    }
}

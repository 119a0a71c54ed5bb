import Hummingbird
import SessionDomain
import SessionWire

/// Users in the management API.
struct UserRoutes: Sendable {
    let users: UserManagement

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(CreateUserBody.self)
        let identifiers = try body.identifiers.enumerated().map { index, identifier in
            try CanonicalIdentifier(identifier, field: "identifiers[\(index)]")
        }
        let user = try await users.create(
            app: context.appID, identifiers: identifiers, password: body.password, externalID: body.externalID,
            profile: body.profile ?? [:])
        return try .json(UserBody(user), status: .created)
    }

    /// All users or those with the `status` of the query, or the one with its `external_id`, or with the identifier of
    /// `identifier_type` and `identifier_value`.
    @Sendable func find(_ request: Request, context: OperatorContext) async throws -> Response {
        let query = try request.query
        let filters = [["status"], ["external_id"], ["identifier_type", "identifier_value"]]
        let named = filters.compactMap { filter in filter.first { query[$0] != nil } }
        guard named.count < 2 else {
            throw Refusal.invalidField(named[1], "must not be set together with \(named[0])")
        }
        if let id = query["external_id"] {
            return try one(try await users.user(externalID: id, app: context.appID))
        }
        if query["identifier_type"] != nil || query["identifier_value"] != nil {
            let identifier = try Self.identifier(
                type: query["identifier_type"], value: query["identifier_value"])
            return try one(try await users.user(with: identifier, app: context.appID))
        }
        let list = try ListRequest(request)
        let page = try await users.users(
            app: context.appID, status: try query["status"].map { try Self.status($0) }, limit: list.limit,
            from: list.start)
        return try .json(
            UserListBody(
                users: page.elements.map(UserBody.init), total: page.total, limit: list.limit, offset: list.offset,
                next: page.next.map(ListCursor.text)))
    }

    /// - Throws: A refusal with the name of the parameter.
    static func identifier(type: String?, value: String?) throws(Refusal) -> CanonicalIdentifier {
        guard let type, IdentifierType(rawValue: type) != nil else {
            throw .invalidField("identifier_type", "must be phone_number or email_address")
        }
        guard let value else { throw .invalidField("identifier_value", "is required with identifier_type") }
        return try CanonicalIdentifier(type: type, value: value, field: "identifier_value", isSearched: true)
    }

    private func one(_ user: User) throws -> Response {
        try .json(UserListBody(users: [UserBody(user)], total: 1, limit: 1, offset: 0, next: nil))
    }

    private static func status(_ text: String) throws(Refusal) -> User.Status {
        guard let status = User.Status(rawValue: text) else {
            throw .invalidField("status", "must be active, inactive or suspended")
        }
        return status
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(UserBody(try await users.user(try context.userID, app: context.appID)))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await users.delete(try context.userID, app: context.appID)
        return .noContent
    }

    @Sendable func setStatus(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(StatusBody.self)
        let user = try await users.setStatus(try Self.status(body.status), user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func setPassword(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(SetPasswordBody.self)
        _ = try await users.setPassword(
            body.password, user: try context.userID, app: context.appID,
            ending: body.revokeSessions ?? true ? .all : nil)
        return .noContent
    }

    @Sendable func clearLimits(_ request: Request, context: OperatorContext) async throws -> Response {
        _ = try await users.clearLimits(of: try context.userID, app: context.appID)
        return .noContent
    }

    /// Clears the limits of the identifier or of the `address` of the query.
    @Sendable func clearOtherLimits(_ request: Request, context: OperatorContext) async throws -> Response {
        let query = try request.query
        switch (query["address"], query["identifier_value"]) {
        case (let address?, nil): try await users.clearLimits(ofAddress: address, app: context.appID)
        case (nil, let value?):
            let identifier = try Self.identifier(type: query["identifier_type"], value: value)
            try await users.clearLimits(of: identifier, app: context.appID)
        default: throw Refusal.invalidField("address", "or identifier_type and identifier_value is required, not both")
        }
        return .noContent
    }

    @Sendable func setExternalID(_ request: Request, context: OperatorContext) async throws -> Response {
        let id = try await request.decodeExactly(ExternalIDBody.self).checked()
        let user = try await users.setExternalID(id, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func mergeProfile(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(ProfileBody.self)
        let user = try await users.mergeProfile(body.profile, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func addIdentifier(_ request: Request, context: OperatorContext) async throws -> Response {
        let identifier = try CanonicalIdentifier(try await request.decodeExactly(Identifier.self))
        let user = try await users.addIdentifier(identifier, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }

    @Sendable func removeIdentifier(_ request: Request, context: OperatorContext) async throws -> Response {
        let identifier = try CanonicalIdentifier(try await request.decodeExactly(Identifier.self), isSearched: true)
        let user = try await users.removeIdentifier(identifier, user: try context.userID, app: context.appID)
        return try .json(UserBody(user))
    }
}

extension OperatorContext {
    /// The user id of the path.
    var userID: String {
        get throws {
            guard let id = parameters.get("user_id") else { throw Refusal.notFound("there is no such user") }
            return id
        }
    }
}

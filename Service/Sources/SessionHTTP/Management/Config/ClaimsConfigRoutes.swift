import Hummingbird
import SessionDomain
import SessionTokens

/// The mapping of claims in the management API.
struct ClaimsConfigRoutes: Sendable {
    let claims: ClaimsManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(ClaimsConfigBody(try await claims.config(of: context.appID)))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(ClaimsConfigBody.self)
        let config = try await claims.create(body.mapping, app: context.appID)
        return try .config(ClaimsConfigBody(config), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(ClaimsConfigBody.self)
        return try .config(ClaimsConfigBody(try await claims.replace(body.mapping, app: context.appID)))
    }
}

/// The mapping of claims, in requests and in responses.
struct ClaimsConfigBody: Codable {
    let mapping: [String: JSONValue]
    var createdAt: String?
    var updatedAt: String?

    private enum CodingKeys: String, CodingKey {
        case mapping
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ config: ClaimsConfig) {
        mapping = config.mapping.mapValues(\.json)
        createdAt = config.createdAt.rfc3339
        updatedAt = config.updatedAt.rfc3339
    }
}

import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// The mapping of claims, through the management API.
struct ClaimsConfigRoutes: Sendable {
    let claims: ClaimsManagement

    struct Body: Codable {
        let mapping: [String: JSONValue]
        var createdAt: String?
        var updatedAt: String?

        private enum CodingKeys: String, CodingKey {
            case mapping
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try Self.answer(try await claims.config(of: context.appID))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(Body.self)
        return try Self.answer(try await claims.create(body.mapping, app: context.appID), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(Body.self)
        return try Self.answer(try await claims.replace(body.mapping, app: context.appID))
    }

    private static func answer(_ config: ClaimsConfig, status: HTTPResponse.Status = .ok) throws -> Response {
        let body = Body(
            mapping: config.mapping.mapValues(\.json), createdAt: config.createdAt.rfc3339,
            updatedAt: config.updatedAt.rfc3339)
        return try .json(ConfigEnvelope(config: body), status: status)
    }
}

import HTTPTypes
import Hummingbird
import SessionDomain

/// How users come over from an earlier system, through the management API.
struct MigrationConfigRoutes: Sendable {
    let migration: MigrationManagement

    struct Body: Codable {
        let sessionValidationURL: String
        var createdAt: String?
        var updatedAt: String?

        private enum CodingKeys: String, CodingKey {
            case sessionValidationURL = "session_validation_url"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try Self.answer(try await migration.config(of: context.appID))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(Body.self)
        return try Self.answer(
            try await migration.create(sessionValidationURL: body.sessionValidationURL, app: context.appID),
            status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(Body.self)
        return try Self.answer(
            try await migration.replace(sessionValidationURL: body.sessionValidationURL, app: context.appID))
    }

    private static func answer(_ config: MigrationConfig, status: HTTPResponse.Status = .ok) throws -> Response {
        let body = Body(
            sessionValidationURL: config.sessionValidationURL, createdAt: config.createdAt.rfc3339,
            updatedAt: config.updatedAt.rfc3339)
        return try .json(ConfigEnvelope(config: body), status: status)
    }
}

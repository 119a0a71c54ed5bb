import Hummingbird
import SessionDomain

/// The configuration of migration from an earlier system, in the management API.
struct MigrationConfigRoutes: Sendable {
    let migration: MigrationManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(MigrationConfigBody(try await migration.config(of: context.appID)))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(MigrationConfigBody.self)
        let config = try await migration.create(sessionValidationURL: body.sessionValidationURL, app: context.appID)
        return try .config(MigrationConfigBody(config), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(MigrationConfigBody.self)
        let config = try await migration.replace(sessionValidationURL: body.sessionValidationURL, app: context.appID)
        return try .config(MigrationConfigBody(config))
    }
}

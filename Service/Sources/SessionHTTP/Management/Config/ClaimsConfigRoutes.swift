import Hummingbird
import SessionDomain

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

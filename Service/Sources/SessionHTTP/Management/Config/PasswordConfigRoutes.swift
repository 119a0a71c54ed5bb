import Hummingbird
import SessionDomain

/// The configuration of password login in the management API.
struct PasswordConfigRoutes: Sendable {
    let configs: LoginConfigManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(PasswordConfigBody(try await configs.passwordLogin(of: context.appID)))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(PasswordConfigChangeBody.self).validated()
        let config = try await configs.createPasswordLogin(change, app: context.appID)
        return try .config(PasswordConfigBody(config), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(PasswordConfigChangeBody.self).validated()
        let config = try await configs.replacePasswordLogin(change, app: context.appID)
        return try .config(PasswordConfigBody(config))
    }
}

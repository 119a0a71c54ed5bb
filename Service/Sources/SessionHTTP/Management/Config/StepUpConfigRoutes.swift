import Hummingbird
import SessionDomain

/// The step-up configuration and the registered scopes in the management API.
struct StepUpConfigRoutes: Sendable {
    let config: StepUpManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(StepUpConfigBody(try await config.config(of: context.appID)))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(StepUpConfigBody.self).change
        return try .config(StepUpConfigBody(try await config.create(change, app: context.appID)), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(StepUpConfigBody.self).change
        return try .config(StepUpConfigBody(try await config.replace(change, app: context.appID)))
    }

    @Sendable func scopes(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(StepUpScopeListBody(scopes: try await config.scopes(of: context.appID)))
    }

    @Sendable func register(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(StepUpScopeBody.self)
        try await config.register(body.scope, app: context.appID)
        return try .json(body, status: .created)
    }

    /// Unregisters the scope of the body, or of the query parameter `scope`.
    @Sendable func unregister(_ request: Request, context: OperatorContext) async throws -> Response {
        let named = try request.query["scope"]
        let sent = try await request.decodeExactlyIfPresent(StepUpScopeBody.self)?.scope
        guard let scope = sent ?? named else { throw Refusal.invalidField("scope", "is required") }
        guard sent == nil || named == nil else {
            throw Refusal.invalidField("scope", "must not be set in the body and in the query")
        }
        try await config.unregister(scope, app: context.appID)
        return .noContent
    }
}

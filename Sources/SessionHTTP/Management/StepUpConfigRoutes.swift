import HTTPTypes
import Hummingbird
import SessionDomain

/// Step-up and its scopes, through the management API.
struct StepUpConfigRoutes: Sendable {
    let config: StepUpManagement

    struct ScopeBody: Codable { let scope: String }
    private struct ScopeList: Encodable { let scopes: [String] }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try Self.answer(try await config.config(of: context.appID))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(StepUpConfigBody.self).change
        return try Self.answer(try await config.create(change, app: context.appID), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(StepUpConfigBody.self).change
        return try Self.answer(try await config.replace(change, app: context.appID))
    }

    @Sendable func scopes(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(ScopeList(scopes: try await config.scopes(of: context.appID)))
    }

    @Sendable func register(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(ScopeBody.self)
        try await config.register(body.scope, app: context.appID)
        return try .json(body, status: .created)
    }

    /// The scope stands in the body, or in `?scope=`.
    @Sendable func unregister(_ request: Request, context: OperatorContext) async throws -> Response {
        let named = request.uri.queryParameters["scope"].map { String($0) }
        guard let scope = try await request.decodeIfPresent(ScopeBody.self)?.scope ?? named else {
            throw Refusal.invalidField("scope", "is required")
        }
        try await config.unregister(scope, app: context.appID)
        return .noContent
    }

    private static func answer(_ config: StepUpConfig, status: HTTPResponse.Status = .ok) throws -> Response {
        try .json(ConfigEnvelope(config: StepUpConfigBody(config)), status: status)
    }
}

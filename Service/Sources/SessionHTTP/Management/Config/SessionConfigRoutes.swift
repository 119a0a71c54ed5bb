import Hummingbird
import SessionDomain

/// The lifetimes and bindings of sessions and tokens in the management API.
struct SessionConfigRoutes: Sendable {
    let apps: AppManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(SessionConfigBody(try await apps.app(context.appID).sessions))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(SessionConfigBody.self)
        let stored = try await apps.update(context.appID) { app in
            app.sessions = try body.policy(replacing: app.sessions)
            return app.sessions
        }
        return try .config(SessionConfigBody(stored))
    }
}

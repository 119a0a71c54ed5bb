import Hummingbird
import SessionDomain

/// The origins whose pages may call the frontend API, in requests and in responses.
struct CORSConfigBody: Codable {
    let allowedOrigins: [String]

    private enum CodingKeys: String, CodingKey { case allowedOrigins = "allowed_origins" }
}

/// Cross-origin calls of browsers, in the management API. The setting is `allowed_origins` of the app.
struct CORSConfigRoutes: Sendable {
    let settings: SettingsManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        let app = try await settings.group(App.self, of: context.appID)
        return try .config(CORSConfigBody(allowedOrigins: app.allowedOrigins))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(CORSConfigBody.self)
        let changed = try await settings.update(App.self, of: context.appID) { app in
            app.allowedOrigins = body.allowedOrigins
        }
        return try .config(CORSConfigBody(allowedOrigins: changed.group.allowedOrigins))
    }
}

import Hummingbird
import SessionDomain

/// The origins whose pages may call the frontend API, in requests and in responses.
struct CORSConfigBody: Codable {
    let allowedOrigins: [String]

    private enum CodingKeys: String, CodingKey { case allowedOrigins = "allowed_origins" }
}

/// Cross-origin calls of browsers, in the management API. The setting is `allowed_origins` of the app.
struct CORSConfigRoutes: Sendable {
    let apps: AppManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(CORSConfigBody(allowedOrigins: try await apps.app(context.appID).allowedOrigins))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(CORSConfigBody.self)
        let app = try await apps.change(
            AppSettingsChange(allowedOrigins: body.allowedOrigins), of: context.appID)
        return try .config(CORSConfigBody(allowedOrigins: app.allowedOrigins))
    }
}

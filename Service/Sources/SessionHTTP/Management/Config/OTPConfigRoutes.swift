import Hummingbird
import SessionDomain

/// The configurations of OTP login in the management API.
struct OTPConfigRoutes: Sendable {
    let configs: LoginConfigManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(OTPConfigListBody(configs: try await configs.otpLogins(of: context.appID).map(OTPConfigBody.init)))
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(OTPConfigBody(try await configs.otpLogin(Self.id(context), app: context.appID)))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(OTPConfigChangeBody.self).validated()
        let config = try await configs.createOTPLogin(change, app: context.appID)
        return try .config(OTPConfigBody(config), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(OTPConfigChangeBody.self).validated()
        let config = try await configs.replaceOTPLogin(Self.id(context), change, app: context.appID)
        return try .config(OTPConfigBody(config))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await configs.deleteOTPLogin(Self.id(context), app: context.appID)
        return .noContent
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("config_id") ?? "" }
}

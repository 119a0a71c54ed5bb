import Hummingbird
import SessionDomain
import SessionTokens

/// The configurations of OTP login in the management API.
struct OTPConfigRoutes: Sendable {
    let configs: LoginConfigManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(OTPConfigListBody(configs: try await configs.otpLogins(of: context.appID).map(\.bodyWithID)))
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(try await configs.otpLogin(Self.id(context), app: context.appID).bodyWithID)
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(OTPConfigChangeBody.self)
        let login = try await configs.createOTPLogin(body.settings.settings(replacing: .defaults), app: context.appID)
        return try .config(login.bodyWithID, status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(OTPConfigChangeBody.self)
        let login = try await configs.replaceOTPLogin(Self.id(context), app: context.appID) { login in
            login = body.settings.settings(replacing: login)
        }
        return try .config(login.bodyWithID)
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await configs.deleteOTPLogin(Self.id(context), app: context.appID)
        return .noContent
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("config_id") ?? "" }
}

extension OTPLoginConfig {
    /// A login as the management API shows it.
    fileprivate var bodyWithID: [String: JSONValue] {
        body.merging(["id": .string(id), "config_type": "otp"]) { own, _ in own }
    }
}

private struct OTPConfigListBody: Encodable { let configs: [[String: JSONValue]] }

/// A configuration of OTP login in a request. A missing member gets its default.
struct OTPConfigChangeBody: Decodable {
    let settings: SettingsBody<OTPLoginConfig>

    private enum CodingKeys: String, CodingKey { case configType = "config_type" }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // All members are read before one is refused.
        let read = Result { try container.decodeIfPresent(String.self, forKey: .configType) }
        settings = try SettingsBody(from: decoder)
        let type = try read.get()
        guard type == nil || type == "otp" else { throw Refusal.invalidField("config_type", "must be otp") }
    }
}

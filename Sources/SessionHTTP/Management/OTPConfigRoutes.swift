import HTTPTypes
import Hummingbird
import SessionDomain

/// The configurations of OTP login, through the management API.
struct OTPConfigRoutes: Sendable {
    let configs: LoginConfigManagement

    struct Change: Decodable {
        let configType: String?
        let channelType: String
        let isDefault: Bool?
        let templateID: String?
        let senderID: String?
        let grantedScopes: [String]?
        let codeSize: Int?

        private enum CodingKeys: String, CodingKey {
            case configType = "config_type"
            case channelType = "channel_type"
            case isDefault = "is_default"
            case templateID = "template_id"
            case senderID = "sender_id"
            case grantedScopes = "granted_scopes"
            case codeSize = "code_size"
        }

        func validated() throws -> OTPLoginChange {
            guard configType == nil || configType == "otp" else {
                throw Refusal.invalidField("config_type", "must be otp")
            }
            guard let channel = OTPLoginConfig.Channel(rawValue: channelType) else {
                throw Refusal.invalidField("channel_type", "must be sms or email")
            }
            return OTPLoginChange(
                channel: channel, isDefault: isDefault ?? false, templateID: templateID, senderID: senderID,
                grantedScopes: grantedScopes ?? [], codeSize: codeSize ?? 6)
        }
    }

    private struct Config: Encodable {
        let id: String
        let configType = "otp"
        let channelType: String
        let isDefault: Bool
        let templateID: String?
        let senderID: String?
        let grantedScopes: [String]
        let codeSize: Int
        let createdAt: String
        let updatedAt: String

        private enum CodingKeys: String, CodingKey {
            case id
            case configType = "config_type"
            case channelType = "channel_type"
            case isDefault = "is_default"
            case templateID = "template_id"
            case senderID = "sender_id"
            case grantedScopes = "granted_scopes"
            case codeSize = "code_size"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }

        init(_ config: OTPLoginConfig) {
            id = config.id
            channelType = config.channel.rawValue
            isDefault = config.isDefault
            templateID = config.templateID
            senderID = config.senderID
            grantedScopes = config.grantedScopes
            codeSize = config.codeSize
            createdAt = config.createdAt.rfc3339
            updatedAt = config.updatedAt.rfc3339
        }
    }

    private struct ConfigList: Encodable { let configs: [Config] }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(ConfigList(configs: try await configs.otpLogins(of: context.appID).map(Config.init)))
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try Self.answer(try await configs.otpLogin(Self.id(context), app: context.appID))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(Change.self).validated()
        return try Self.answer(try await configs.createOTPLogin(change, app: context.appID), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(Change.self).validated()
        return try Self.answer(
            try await configs.replaceOTPLogin(Self.id(context), change, app: context.appID))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await configs.deleteOTPLogin(Self.id(context), app: context.appID)
        return .noContent
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("config_id") ?? "" }

    private static func answer(_ config: OTPLoginConfig, status: HTTPResponse.Status = .ok) throws -> Response {
        try .json(ConfigEnvelope(config: Config(config)), status: status)
    }
}

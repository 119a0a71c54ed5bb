import SessionDomain

/// A configuration of OTP login as the management API shows it.
struct OTPConfigBody: Encodable {
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

struct OTPConfigListBody: Encodable { let configs: [OTPConfigBody] }

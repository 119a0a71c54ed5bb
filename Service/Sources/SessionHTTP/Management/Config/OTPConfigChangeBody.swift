import SessionDomain

/// A configuration of OTP login in a request. A missing member gets its default.
struct OTPConfigChangeBody: Decodable {
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

    func validated() throws(Refusal) -> OTPLoginChange {
        guard configType == nil || configType == "otp" else {
            throw .invalidField("config_type", "must be otp")
        }
        guard let channel = OTPLoginConfig.Channel(rawValue: channelType) else {
            throw .invalidField("channel_type", "must be sms or email")
        }
        return OTPLoginChange(
            channel: channel, isDefault: isDefault ?? false, templateID: templateID, senderID: senderID,
            grantedScopes: grantedScopes ?? [], codeSize: codeSize ?? 6)
    }
}

import SessionDomain
import SessionWire

/// The configuration of password login as the management API shows it.
struct PasswordConfigBody: Encodable {
    /// The hash method of new passwords. There is only one.
    static let hashMethod = "argon2id"

    let config: PasswordLoginConfig
    /// The limits of the app. Two of them have names in this configuration, too.
    let limits: OTPLimits

    init(_ settings: LoginConfigManagement.PasswordLoginSettings) { (config, limits) = settings }

    private enum CodingKeys: String, CodingKey {
        case enabled
        case hashMethod = "hash_method"
        case ipLimit = "rate_limit_login_ip"
        case identifierLimit = "rate_limit_login_identifier"
        case compliancy = "password_compliancy"
        case rejectsCommonPasswords = "reject_common_passwords"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.hashMethod, forKey: .hashMethod)
        try container.encode(config.enabled, forKey: .enabled)
        try container.encode(RateLimitBody(limits.failuresPerAddress), forKey: .ipLimit)
        try container.encode(RateLimitBody(limits.failedChecks), forKey: .identifierLimit)
        try container.encode(PasswordCompliancy(config.policy), forKey: .compliancy)
        try container.encode(config.rejectsCommonPasswords, forKey: .rejectsCommonPasswords)
        try container.encode(config.createdAt.rfc3339, forKey: .createdAt)
        try container.encode(config.updatedAt.rfc3339, forKey: .updatedAt)
    }
}

/// Password login of one app.
package struct PasswordLoginConfig: Sendable, Equatable, Codable {
    package var enabled = true
    package var policy = PasswordPolicy()
    /// Whether new passwords must not be common, breached, or a word of the app or the user.
    package var rejectsCommonPasswords = true
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(at time: Timestamp) {
        createdAt = time
        updatedAt = time
    }
}

extension PasswordLoginConfig {
    enum CodingKeys: CodingKey {
        case enabled, policy, rejectsCommonPasswords, createdAt, updatedAt
        /// Limits that nodes of earlier versions require.
        case ipLimit, identifierLimit
    }

    package func encode(to encoder: any Encoder) throws {
        var stored = encoder.container(keyedBy: CodingKeys.self)
        try stored.encode(enabled, forKey: .enabled)
        try stored.encode(policy, forKey: .policy)
        try stored.encode(rejectsCommonPasswords, forKey: .rejectsCommonPasswords)
        try stored.encode(createdAt, forKey: .createdAt)
        try stored.encode(updatedAt, forKey: .updatedAt)
        try stored.encode(RateLimit(limit: 30, window: 600), forKey: .ipLimit)
        try stored.encode(RateLimit(limit: 10, window: 900), forKey: .identifierLimit)
    }

    /// Decodes a stored configuration. A setting that is missing in an older one has its default.
    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try stored.decode(Bool.self, forKey: .enabled)
        policy = try stored.decode(PasswordPolicy.self, forKey: .policy)
        rejectsCommonPasswords = try stored.decodeIfPresent(Bool.self, forKey: .rejectsCommonPasswords) ?? true
        createdAt = try stored.decode(Timestamp.self, forKey: .createdAt)
        updatedAt = try stored.decode(Timestamp.self, forKey: .updatedAt)
    }
}

/// A channel for codes, with its settings.
package struct OTPLoginConfig: Sendable, Equatable, Codable {
    package enum Channel: String, Sendable, Codable, CaseIterable {
        case sms, email

        /// The kind of identifier that this channel reaches.
        package var identifierType: IdentifierType {
            switch self {
            case .sms: .phoneNumber
            case .email: .emailAddress
            }
        }
    }

    package let id: String
    package var channel: Channel
    /// Whether it is used for requests that name no configuration.
    package var isDefault: Bool
    package var templateID: String?
    package var senderID: String?
    /// Scopes that this login grants to the session.
    package var grantedScopes: [String] = []
    /// Digits of a code, 4–10.
    package var codeSize = 6
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(id: String, channel: Channel, isDefault: Bool, at time: Timestamp) {
        self.id = id
        self.channel = channel
        self.isDefault = isDefault
        createdAt = time
        updatedAt = time
    }
}

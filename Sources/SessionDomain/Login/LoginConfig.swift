/// Password login of one app.
package struct PasswordLoginConfig: Sendable, Equatable, Codable {
    package var enabled = true
    /// Attempts per source address. They are counted before the password is compared.
    package var ipLimit = RateLimit(limit: 30, window: 600)
    /// Attempts per e-mail address, over all sources. A success clears the count.
    package var identifierLimit = RateLimit(limit: 10, window: 900)
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
        case enabled, ipLimit, identifierLimit, policy, rejectsCommonPasswords, createdAt, updatedAt
    }

    /// Decodes a stored configuration. A setting that is missing in an older one has its default.
    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try stored.decode(Bool.self, forKey: .enabled)
        ipLimit = try stored.decode(RateLimit.self, forKey: .ipLimit)
        identifierLimit = try stored.decode(RateLimit.self, forKey: .identifierLimit)
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

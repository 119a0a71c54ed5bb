internal import Foundation

/// A change of the password login. A `nil` member keeps the value of the base configuration.
package struct PasswordLoginChange: Sendable {
    package var enabled: Bool?
    package var ipLimit: RateLimit?
    package var identifierLimit: RateLimit?
    package var policy: PasswordPolicy?

    package init(
        enabled: Bool? = nil, ipLimit: RateLimit? = nil, identifierLimit: RateLimit? = nil,
        policy: PasswordPolicy? = nil
    ) {
        self.enabled = enabled
        self.ipLimit = ipLimit
        self.identifierLimit = identifierLimit
        self.policy = policy
    }

    func validate() throws(Refusal) {
        try ipLimit?.validate(field: "rate_limit_login_ip")
        try identifierLimit?.validate(field: "rate_limit_login_identifier")
        try policy?.validate()
    }

    func applied(to base: PasswordLoginConfig) -> PasswordLoginConfig {
        var config = base
        if let enabled { config.enabled = enabled }
        if let ipLimit { config.ipLimit = ipLimit }
        if let identifierLimit { config.identifierLimit = identifierLimit }
        if let policy { config.policy = policy }
        return config
    }
}

/// A change of one OTP login. It replaces all settings.
package struct OTPLoginChange: Sendable {
    /// The maximum number of OTP logins of one app.
    static let maximumPerApp = 20

    package var channel: OTPLoginConfig.Channel
    package var isDefault: Bool
    package var templateID: String?
    package var senderID: String?
    package var grantedScopes: [String]
    package var codeSize: Int

    package init(
        channel: OTPLoginConfig.Channel, isDefault: Bool = false, templateID: String? = nil, senderID: String? = nil,
        grantedScopes: [String] = [], codeSize: Int = 6
    ) {
        self.channel = channel
        self.isDefault = isDefault
        self.templateID = templateID
        self.senderID = senderID
        self.grantedScopes = grantedScopes
        self.codeSize = codeSize
    }

    func validate() throws(Refusal) {
        guard (4...10).contains(codeSize) else { throw .invalidField("code_size", "must be 4 to 10") }
        guard grantedScopes.count <= 20, grantedScopes.allSatisfy(Scope.isWellFormed) else {
            throw .invalidField("granted_scopes", "must be at most 20 scopes of letters, digits and . - _ :")
        }
        for (field, value) in [("template_id", templateID), ("sender_id", senderID)] {
            guard (value?.count ?? 0) <= 100 else { throw .invalidField(field, "must have at most 100 characters") }
        }
    }

    /// Rejects scopes that are not registered: they would be missing in tokens without an error.
    func requireRegisteredScopes(_ app: App) throws(Refusal) {
        if let scope = grantedScopes.first(where: { !app.scopes.contains($0) }) {
            throw .invalidField(
                "granted_scopes", "contains \(scope), which is not registered; add it to config/scopes first")
        }
    }

    func applied(to base: OTPLoginConfig) -> OTPLoginConfig {
        var config = base
        config.channel = channel
        config.isDefault = isDefault
        config.templateID = templateID
        config.senderID = senderID
        config.grantedScopes = grantedScopes
        config.codeSize = codeSize
        return config
    }
}

/// The syntax of a scope: `^[a-zA-Z0-9.\-_:]+$`, at most 128 characters.
package enum Scope {
    package static func isWellFormed(_ scope: String) -> Bool {
        (1...128).contains(scope.utf8.count)
            && scope.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}

extension RateLimit {
    func validate(field: String) throws(Refusal) {
        guard (0...1_000_000).contains(limit) else { throw .invalidField("\(field).limit", "must be 0 to 1000000") }
        guard (1...31 * 86_400).contains(window) else {
            throw .invalidField("\(field).ttl", "must be 1 second to 31 days, in nanoseconds")
        }
    }
}

extension PasswordPolicy {
    func validate() throws(Refusal) {
        let fields = [
            ("min_length", minLength), ("max_length", maxLength), ("uppercase", uppercase), ("lowercase", lowercase),
            ("numbers", numbers), ("symbols", symbols),
        ]
        for (name, value) in fields where !(0...1024).contains(value) {
            throw .invalidField("password_compliancy.\(name)", "must be 0 to 1024")
        }
        let needed = max(minLength, uppercase + lowercase + numbers + symbols)
        guard maxLength == 0 || maxLength >= needed else {
            throw .invalidField("password_compliancy.max_length", "is too small for the other rules")
        }
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

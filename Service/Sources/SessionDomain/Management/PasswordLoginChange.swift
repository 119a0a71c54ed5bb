/// A change of the password login. A `nil` member keeps the value of the base configuration.
///
/// Its limits are `OTPLimits.failuresPerAddress` and `.failedChecks`: the API of the login names them, too.
package struct PasswordLoginChange: Sendable {
    package var enabled: Bool?
    package var ipLimit: RateLimit?
    package var identifierLimit: RateLimit?
    package var policy: PasswordPolicy?
    package var rejectsCommonPasswords: Bool?

    package init(
        enabled: Bool? = nil, ipLimit: RateLimit? = nil, identifierLimit: RateLimit? = nil,
        policy: PasswordPolicy? = nil, rejectsCommonPasswords: Bool? = nil
    ) {
        self.enabled = enabled
        self.ipLimit = ipLimit
        self.identifierLimit = identifierLimit
        self.policy = policy
        self.rejectsCommonPasswords = rejectsCommonPasswords
    }

    func validate() throws(Refusal) {
        try ipLimit?.validate(field: "rate_limit_login_ip")
        try identifierLimit?.validate(field: "rate_limit_login_identifier")
        try policy?.validate()
    }

    func apply(to limits: inout OTPLimits) {
        if let ipLimit { limits.failuresPerAddress = ipLimit }
        if let identifierLimit { limits.failedChecks = identifierLimit }
    }

    func applied(to base: PasswordLoginConfig) -> PasswordLoginConfig {
        var config = base
        if let enabled { config.enabled = enabled }
        if let policy { config.policy = policy.bounded }
        if let rejectsCommonPasswords { config.rejectsCommonPasswords = rejectsCommonPasswords }
        return config
    }
}

extension RateLimit {
    func validate(field: String) throws(Refusal) {
        guard (0...1_000_000).contains(limit) else { throw .invalidField("\(field).limit", "must be 0 to 1000000") }
        guard (1...86_400).contains(window) else {
            throw .invalidField("\(field).ttl", "must be 1 second to 1 day, in nanoseconds")
        }
    }
}

extension PasswordPolicy {
    func validate() throws(Refusal) {
        let fields = [
            ("min_length", minLength), ("max_length", maxLength), ("uppercase", uppercase), ("lowercase", lowercase),
            ("numbers", numbers), ("symbols", symbols),
        ]
        for (name, value) in fields where !(0...Self.maximumLength).contains(value) {
            throw .invalidField("password_compliancy.\(name)", "must be 0 to \(Self.maximumLength)")
        }
        let needed = max(minLength, uppercase + lowercase + numbers + symbols)
        guard bounded.maxLength >= needed else {
            throw .invalidField("password_compliancy.max_length", "is too small for the other rules")
        }
    }
}

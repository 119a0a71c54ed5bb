/// A change of the password login. A `nil` member keeps the value of the base configuration.
@available(service, *)
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
        try ipLimit?.validateForMemory(field: "rate_limit_login_ip")
        try identifierLimit?.validate(field: "rate_limit_login_identifier")
        try policy?.validate()
    }

    func applied(to base: PasswordLoginConfig) -> PasswordLoginConfig {
        var config = base
        if let enabled { config.enabled = enabled }
        if let ipLimit { config.ipLimit = ipLimit }
        if let identifierLimit { config.identifierLimit = identifierLimit }
        if let policy { config.policy = policy.bounded }
        if let rejectsCommonPasswords { config.rejectsCommonPasswords = rejectsCommonPasswords }
        return config
    }
}

@available(service, *)
extension RateLimit {
    func validate(field: String) throws(Refusal) {
        guard (0...1_000_000).contains(limit) else { throw .invalidField("\(field).limit", "must be 0 to 1000000") }
        guard (1...31 * 86_400).contains(window) else {
            throw .invalidField("\(field).ttl", "must be 1 second to 31 days, in nanoseconds")
        }
    }

    /// Checks a limit that `SourceLimiter` counts. A restart of the service forgets it, so a long window promises what
    /// the service cannot do.
    func validateForMemory(field: String) throws(Refusal) {
        try validate(field: field)
        guard window <= SourceLimiter.maximumWindow else {
            throw .invalidField("\(field).ttl", "must be 1 second to 1 hour, in nanoseconds")
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

import SessionDomain

/// The configuration of password login in a request.
struct PasswordConfigChangeBody: Decodable {
    let hashMethod: String?
    let enabled: Bool?
    let ipLimit: RateLimitBody?
    let identifierLimit: RateLimitBody?
    let compliancy: Compliancy?
    let rejectsCommonPasswords: Bool?

    private enum CodingKeys: String, CodingKey {
        case enabled
        case hashMethod = "hash_method"
        case ipLimit = "rate_limit_login_ip"
        case identifierLimit = "rate_limit_login_identifier"
        case compliancy = "password_compliancy"
        case rejectsCommonPasswords = "reject_common_passwords"
    }

    func validated() throws(Refusal) -> PasswordLoginChange {
        guard hashMethod == nil || hashMethod == PasswordConfigBody.hashMethod else {
            throw .invalidField("hash_method", "must be \(PasswordConfigBody.hashMethod)")
        }
        return PasswordLoginChange(
            enabled: enabled, ipLimit: ipLimit?.rateLimit, identifierLimit: identifierLimit?.rateLimit,
            policy: compliancy?.policy, rejectsCommonPasswords: rejectsCommonPasswords)
    }

    /// The password rules in a request. A missing member gets its default.
    struct Compliancy: Decodable {
        let minLength, maxLength, uppercase, lowercase, numbers, symbols: Int?

        private enum CodingKeys: String, CodingKey {
            case uppercase, lowercase, numbers, symbols
            case minLength = "min_length"
            case maxLength = "max_length"
        }

        var policy: PasswordPolicy {
            var policy = PasswordPolicy()
            policy.minLength = minLength ?? policy.minLength
            policy.maxLength = maxLength ?? policy.maxLength
            policy.uppercase = uppercase ?? policy.uppercase
            policy.lowercase = lowercase ?? policy.lowercase
            policy.numbers = numbers ?? policy.numbers
            policy.symbols = symbols ?? policy.symbols
            return policy
        }
    }
}

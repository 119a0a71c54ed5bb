import HTTPTypes
import Hummingbird
import SessionDomain
import SessionWire

/// The configuration of password login, through the management API.
struct PasswordConfigRoutes: Sendable {
    let configs: LoginConfigManagement

    struct Change: Decodable {
        let hashMethod: String?
        let enabled: Bool?
        let ipLimit: RateLimitBody?
        let identifierLimit: RateLimitBody?
        let compliancy: PartialCompliancy?

        private enum CodingKeys: String, CodingKey {
            case enabled
            case hashMethod = "hash_method"
            case ipLimit = "rate_limit_login_ip"
            case identifierLimit = "rate_limit_login_identifier"
            case compliancy = "password_compliancy"
        }

        func validated() throws -> PasswordLoginChange {
            guard hashMethod == nil || hashMethod == Config.hashMethod else {
                throw Refusal.invalidField("hash_method", "must be \(Config.hashMethod)")
            }
            return PasswordLoginChange(
                enabled: enabled, ipLimit: ipLimit?.rateLimit, identifierLimit: identifierLimit?.rateLimit,
                policy: compliancy?.policy)
        }
    }

    private struct Config: Encodable {
        /// The one hash of new passwords.
        static let hashMethod = "argon2id"

        let config: PasswordLoginConfig

        private enum CodingKeys: String, CodingKey {
            case enabled
            case hashMethod = "hash_method"
            case ipLimit = "rate_limit_login_ip"
            case identifierLimit = "rate_limit_login_identifier"
            case compliancy = "password_compliancy"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Self.hashMethod, forKey: .hashMethod)
            try container.encode(config.enabled, forKey: .enabled)
            try container.encode(RateLimitBody(config.ipLimit), forKey: .ipLimit)
            try container.encode(RateLimitBody(config.identifierLimit), forKey: .identifierLimit)
            try container.encode(PasswordCompliancy(config.policy), forKey: .compliancy)
            try container.encode(config.createdAt.rfc3339, forKey: .createdAt)
            try container.encode(config.updatedAt.rfc3339, forKey: .updatedAt)
        }
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try Self.answer(try await configs.passwordLogin(of: context.appID))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(Change.self).validated()
        return try Self.answer(
            try await configs.createPasswordLogin(change, app: context.appID), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(Change.self).validated()
        return try Self.answer(try await configs.replacePasswordLogin(change, app: context.appID))
    }

    private static func answer(
        _ config: PasswordLoginConfig, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try .json(ConfigEnvelope(config: Config(config: config)), status: status)
    }
}

/// Password rules as an operator writes them; what is left out takes its default.
struct PartialCompliancy: Decodable {
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

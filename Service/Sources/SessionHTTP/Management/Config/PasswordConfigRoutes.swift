import Hummingbird
import SessionDomain
import SessionTokens

/// The configuration of password login in the management API. Besides the settings of the group it has the hash method, and
/// two limits of the app under names of their own.
struct PasswordConfigRoutes: Sendable {
    let settings: SettingsManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        let app = try await settings.app(with: PasswordLoginConfig.self, context.appID)
        return try response(app)
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        var response = try await change(.new, request, context)
        response.status = .created
        return response
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        try await change(.stored, request, context)
    }

    private func change(
        _ existence: SettingsExistence, _ request: Request, _ context: OperatorContext
    ) async throws -> Response {
        let body = try await request.decodeExactly(PasswordConfigChangeBody.self)
        let changed = try await settings.update(PasswordLoginConfig.self, of: context.appID, existence) { config in
            config = body.settings.settings(replacing: config)
        } alsoChanging: { app in
            if let limit = body.ipLimit { app.otpLimits.failuresPerAddress = limit.rateLimit }
            if let limit = body.identifierLimit { app.otpLimits.failedChecks = limit.rateLimit }
        }
        return try response(changed.app)
    }

    private func response(_ app: App) throws -> Response {
        let (config, limits) = (app[keyPath: PasswordLoginConfig.place], app.otpLimits)
        let own: [String: JSONValue] = [
            "hash_method": .string(PasswordConfigChangeBody.hashMethod),
            "rate_limit_login_ip": RateLimitBody(limits.failuresPerAddress).json,
            "rate_limit_login_identifier": RateLimitBody(limits.failedChecks).json,
        ]
        return try .config(config.body.merging(own) { own, _ in own })
    }
}

/// The configuration of password login in a request.
struct PasswordConfigChangeBody: Decodable {
    /// The hash method of new passwords. There is only one.
    static let hashMethod = "argon2id"

    let ipLimit: RateLimitBody?
    let identifierLimit: RateLimitBody?
    let settings: SettingsBody<PasswordLoginConfig>

    private enum CodingKeys: String, CodingKey {
        case hashMethod = "hash_method"
        case ipLimit = "rate_limit_login_ip"
        case identifierLimit = "rate_limit_login_identifier"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // All members are read before one is refused.
        let methodRead = Result { try container.decodeIfPresent(String.self, forKey: .hashMethod) }
        let ipRead = Result { try container.decodeIfPresent(RateLimitBody.self, forKey: .ipLimit) }
        let identifierRead = Result { try container.decodeIfPresent(RateLimitBody.self, forKey: .identifierLimit) }
        settings = try SettingsBody(from: decoder)
        let method = try methodRead.get()
        (ipLimit, identifierLimit) = (try ipRead.get(), try identifierRead.get())
        guard method == nil || method == Self.hashMethod else {
            throw Refusal.invalidField("hash_method", "must be \(Self.hashMethod)")
        }
        try ipLimit?.check("rate_limit_login_ip")
        try identifierLimit?.check("rate_limit_login_identifier")
    }
}

/// A rate limit whose window is in nanoseconds.
struct RateLimitBody: Decodable {
    let ttl: Int64
    let limit: Int

    init(_ limit: RateLimit) {
        ttl = Int64(limit.window) * 1_000_000_000
        self.limit = limit.limit
    }

    var rateLimit: RateLimit { RateLimit(limit: limit, window: Int(ttl / 1_000_000_000)) }

    var json: JSONValue { .object(["ttl": .int(ttl), "limit": .int(Int64(limit))]) }

    func check(_ field: String) throws(Refusal) {
        guard (0...1_000_000).contains(limit) else { throw .invalidField("\(field).limit", "must be 0 to 1000000") }
        guard ttl % 1_000_000_000 == 0, (1...86_400).contains(rateLimit.window) else {
            throw .invalidField("\(field).ttl", "must be whole seconds, 1 second to 1 day, in nanoseconds")
        }
    }
}

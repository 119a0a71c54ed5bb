import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// Apps and their settings, through the management API.
struct AppRoutes: Sendable {
    let apps: AppManagement

    struct Change: Decodable {
        let id: String?
        let name: String?
        let domains: [String]?
        let allowedOrigins: [String]?
        let signUp: Bool?
        let endsOtherSessions: Bool?
        let signingAlgorithm: String?

        private enum CodingKeys: String, CodingKey {
            case id, name, domains
            case allowedOrigins = "allowed_origins"
            case signUp = "sign_up"
            case endsOtherSessions = "password_change_ends_other_sessions"
            case signingAlgorithm = "signing_algorithm"
        }

        func settings() throws -> AppSettingsChange {
            let algorithm = try signingAlgorithm.map { name in
                guard let known = SignatureAlgorithm(rawValue: name) else {
                    throw Refusal.invalidField("signing_algorithm", "must be EdDSA, ES256 or RS256")
                }
                return known
            }
            return AppSettingsChange(
                name: name, domains: domains, allowedOrigins: allowedOrigins, signUp: signUp,
                passwordChangeEndsOtherSessions: endsOtherSessions, signingAlgorithm: algorithm)
        }
    }

    private struct Body: Encodable {
        let app: App

        private enum CodingKeys: String, CodingKey {
            case id, name, domains
            case allowedOrigins = "allowed_origins"
            case signUp = "sign_up"
            case endsOtherSessions = "password_change_ends_other_sessions"
            case signingAlgorithm = "signing_algorithm"
            case createdAt = "created_at"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(app.id, forKey: .id)
            try container.encode(app.name, forKey: .name)
            try container.encode(app.domains, forKey: .domains)
            try container.encode(app.allowedOrigins, forKey: .allowedOrigins)
            try container.encode(app.signUp, forKey: .signUp)
            try container.encode(app.passwordChangeEndsOtherSessions, forKey: .endsOtherSessions)
            try container.encode(app.signingAlgorithm.rawValue, forKey: .signingAlgorithm)
            try container.encode(app.createdAt.rfc3339, forKey: .createdAt)
        }
    }

    private struct AppList: Encodable { let apps: [Body] }

    @Sendable func list(_ request: Request, context: AnonymousContext) async throws -> Response {
        try .json(AppList(apps: try await apps.apps().map(Body.init)))
    }

    @Sendable func create(_ request: Request, context: AnonymousContext) async throws -> Response {
        let change = try await request.decode(Change.self)
        guard let name = change.name else { throw Refusal.invalidField("name", "is required") }
        let id = try change.id.map { text in
            guard let id = AppID(text) else {
                throw Refusal.invalidField("id", "must be 7 lower-case letters or digits")
            }
            return id
        }
        let settings = try change.settings()
        let app = try await apps.create(id: id, name: name) { try settings.apply(to: &$0) }
        return try .json(Body(app: app), status: .created)
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(Body(app: try await apps.app(context.appID)))
    }

    /// Changes what is named, and nothing else.
    @Sendable func update(_ request: Request, context: OperatorContext) async throws -> Response {
        let settings = try await request.decode(Change.self).settings()
        guard settings.domains == nil || context.isForAllApps else {
            throw Refusal.forbidden("domains can be set with a management key for all apps only")
        }
        return try .json(Body(app: try await apps.change(settings, of: context.appID)))
    }
}

import SessionDomain
import SessionTokens

/// An app as the management API shows it.
struct AppBody: Encodable {
    let app: App

    private enum CodingKeys: String, CodingKey {
        case id, name, domains
        case allowedOrigins = "allowed_origins"
        case signUp = "sign_up"
        case endsOtherSessions = "password_change_ends_other_sessions"
        case registersInOneStep = "register_in_one_step"
        case newIdentifierHold = "new_identifier_hold"
        case signingAlgorithm = "signing_algorithm"
        case eventRetention = "event_retention"
        case developmentTokens = "development_tokens"
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
        try container.encode(app.registersInOneStep, forKey: .registersInOneStep)
        try container.encode(app.newIdentifierHold, forKey: .newIdentifierHold)
        try container.encode(app.signingAlgorithm.rawValue, forKey: .signingAlgorithm)
        try container.encode(app.eventRetention, forKey: .eventRetention)
        try container.encode(app.developmentTokens, forKey: .developmentTokens)
        try container.encode(app.createdAt.rfc3339, forKey: .createdAt)
    }
}

struct AppListBody: Encodable { let apps: [AppBody] }

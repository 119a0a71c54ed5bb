import SessionDomain
import SessionTokens

/// The settings of an app in a request. A missing member keeps its value.
struct AppChangeBody: Decodable {
    let id: String?
    let name: String?
    let domains: [String]?
    let allowedOrigins: [String]?
    let signUp: Bool?
    let endsOtherSessions: Bool?
    let registersInOneStep: Bool?
    let newIdentifierHold: Int?
    let signingAlgorithm: String?
    let eventRetention: Int?
    let developmentTokens: Bool?

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
    }

    func settings() throws(Refusal) -> AppSettingsChange {
        if let id, AppID(id) == nil { throw .invalidField("id", "must be 7 lower-case letters or digits") }
        var algorithm: SignatureAlgorithm?
        if let signingAlgorithm {
            guard let known = SignatureAlgorithm(rawValue: signingAlgorithm) else {
                throw .invalidField("signing_algorithm", "must be EdDSA, Ed25519, ES256 or RS256")
            }
            algorithm = known
        }
        return AppSettingsChange(
            name: name, domains: domains, allowedOrigins: allowedOrigins, signUp: signUp,
            passwordChangeEndsOtherSessions: endsOtherSessions, registersInOneStep: registersInOneStep,
            newIdentifierHold: newIdentifierHold, signingAlgorithm: algorithm, eventRetention: eventRetention,
            developmentTokens: developmentTokens)
    }
}

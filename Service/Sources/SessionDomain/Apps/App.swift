package import SessionTokens

/// The settings of one app.
package struct App: Sendable, Equatable, Codable {
    package let id: AppID
    package var name: String
    /// Custom domains under which the app is served over https, as bare hosts.
    package var domains: [String] = []
    /// Web origins whose pages may call the frontend API, such as `https://app.example.com`.
    package var allowedOrigins: [String] = []
    /// The algorithm of new access-token keys.
    package var signingAlgorithm: SignatureAlgorithm = .edDSA
    package var sessions = SessionPolicy()
    /// Whether a correct code creates a user for an unknown identifier.
    package var signUp = true
    package var passwordLogin: PasswordLoginConfig?
    package var otpLogins: [OTPLoginConfig] = []
    package var otpLimits = OTPLimits()
    /// The registered scopes. Only these can be granted.
    package var scopes: [String] = []
    package var stepUp: StepUpConfig?
    package var claims: ClaimsConfig?
    package var migration: MigrationConfig?
    /// The routes for messages that replace those of the service. `nil`: the service's are used.
    package var delivery: DeliveryConfig?
    package var passwordChangeEndsOtherSessions = true
    /// Days for which events are kept.
    package var eventRetention = Retention.eventDays
    /// Whether a session registers an identifier with one code, to the new identifier, however old its login is.
    package var registersInOneStep = false
    /// Seconds for which an identifier that a session registered opens nothing else.
    package var newIdentifierHold = 259_200
    package var messages = MessageSettings()
    /// Whether a management key may issue access tokens without a login.
    package var developmentTokens = false
    /// What operators refuse for a time.
    package var blocks: [Block] = []
    package let createdAt: Timestamp

    package init(id: AppID, name: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }
}

extension App {
    enum CodingKeys: String, CodingKey {
        case id, name, domains, allowedOrigins, signingAlgorithm, sessions, signUp, passwordLogin, otpLogins, otpLimits
        case scopes, stepUp, claims, migration, passwordChangeEndsOtherSessions, createdAt
        case eventRetention, newIdentifierHold, delivery, messages, developmentTokens, blocks
        /// The name in the management API, which events show.
        case registersInOneStep = "registerInOneStep"
    }

    /// Decodes a stored record. Settings that are missing in an older record have their defaults.
    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = AppID(stored: try stored.decode(String.self, forKey: .id)) else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: stored, debugDescription: "not an app id")
        }
        self.init(
            id: id, name: try stored.decode(String.self, forKey: .name),
            createdAt: try stored.decode(Timestamp.self, forKey: .createdAt))
        func read<Value: Decodable>(_ key: CodingKeys, _ setting: inout Value) throws {
            if let value = try stored.decodeIfPresent(Value.self, forKey: key) { setting = value }
        }
        try read(.domains, &domains)
        try read(.allowedOrigins, &allowedOrigins)
        try read(.signingAlgorithm, &signingAlgorithm)
        try read(.sessions, &sessions)
        try read(.signUp, &signUp)
        try read(.otpLogins, &otpLogins)
        try read(.otpLimits, &otpLimits)
        // Records without registered scopes: logins granted their scopes without registration.
        scopes = Array(Set(otpLogins.flatMap(\.grantedScopes))).sorted()
        try read(.scopes, &scopes)
        try read(.passwordChangeEndsOtherSessions, &passwordChangeEndsOtherSessions)
        try read(.eventRetention, &eventRetention)
        try read(.registersInOneStep, &registersInOneStep)
        try read(.newIdentifierHold, &newIdentifierHold)
        try read(.messages, &messages)
        try read(.developmentTokens, &developmentTokens)
        try read(.blocks, &blocks)
        passwordLogin = try stored.decodeIfPresent(PasswordLoginConfig.self, forKey: .passwordLogin)
        stepUp = try stored.decodeIfPresent(StepUpConfig.self, forKey: .stepUp)
        claims = try stored.decodeIfPresent(ClaimsConfig.self, forKey: .claims)
        migration = try stored.decodeIfPresent(MigrationConfig.self, forKey: .migration)
        delivery = try stored.decodeIfPresent(DeliveryConfig.self, forKey: .delivery)
    }
}

extension App {
    /// Allowed values of `newIdentifierHold`, up to 30 days.
    package static let newIdentifierHolds = 0...2_592_000

    /// The name as messages show it. Earlier versions stored names that are links.
    package var nameInMessages: String { LinkedName.removed(from: name) }

    /// Scopes that can be granted: they are registered, and a step-up rule decides on them or a login grants them. A scope
    /// that leaves this set loses its grants.
    package var grantableScopes: Set<String> {
        let decided = stepUp?.rules.map(\.scope) ?? []
        return Set(scopes).intersection(decided + otpLogins.flatMap(\.grantedScopes))
    }

    /// Returns the scopes that keep their grants and challenges after a change: still grantable, with unchanged rules.
    package func scopesKept(from old: App) -> Set<String> {
        grantableScopes.filter { scope in
            let before = old.stepUp?.rules.filter { $0.scope == scope } ?? []
            return before == stepUp?.rules.filter { $0.scope == scope } ?? []
        }
    }
}

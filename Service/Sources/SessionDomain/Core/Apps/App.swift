internal import Crypto
internal import Foundation
package import SessionTokens

/// The settings of one app.
package struct App: Sendable, Equatable, Codable {
    package let id: AppID
    package var name: String {
        didSet { name = name.trimmingCharacters(in: .whitespacesAndNewlines) }
    }
    /// Custom domains under which the app is served over https, as bare hosts. Hosts are compared in lower case.
    package var domains: [String] = [] {
        didSet { domains = domains.map { $0.lowercased() } }
    }
    /// Web origins whose pages may call the frontend API, such as `https://app.example.com`.
    package var allowedOrigins: [String] = []
    /// The algorithm of new access-token keys.
    package var signingAlgorithm: SignatureAlgorithm = .edDSA
    package var sessions = SessionPolicy()
    /// Whether a correct code creates a user for an unknown identifier.
    package var signUp = true
    package var passwordLogin: PasswordLoginConfig?
    package var otpLogins: [OTPLoginConfig] = []
    package var otpLimits = LimitSettings()
    /// The registered scopes. Only these can be granted.
    package var scopes: [String] = []
    package var stepUp: StepUpConfig?
    package var claims: ClaimsConfig?
    package var migration: MigrationConfig?
    package var passkeys: PasskeyConfig?
    /// The routes for messages that replace those of the service. `nil`: the service's are used.
    package var delivery: DeliveryConfig?
    package var passwordChangeEndsOtherSessions = true
    /// Days for which events are kept.
    package var eventRetention = Retention.eventDays
    /// Whether a session registers an identifier with one code, to the new identifier, however old its login is.
    package var registersInOneStep = false
    /// Seconds after a login in which its session registers an identifier without a code to an existing one.
    package var freshLogin = 600
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
    private enum CodingKeys: CodingKey {
        case id, createdAt, sessions, passwordLogin, otpLogins, otpLimits, scopes, stepUp, claims, migration, delivery
        case passkeys, messages, blocks
    }

    package func encode(to encoder: any Encoder) throws {
        var stored = encoder.container(keyedBy: CodingKeys.self)
        try stored.encode(id, forKey: .id)
        try stored.encode(createdAt, forKey: .createdAt)
        try stored.encode(sessions, forKey: .sessions)
        try stored.encodeIfPresent(passwordLogin, forKey: .passwordLogin)
        try stored.encode(otpLogins, forKey: .otpLogins)
        try stored.encode(otpLimits, forKey: .otpLimits)
        try stored.encode(scopes, forKey: .scopes)
        try stored.encodeIfPresent(stepUp, forKey: .stepUp)
        try stored.encodeIfPresent(claims, forKey: .claims)
        try stored.encodeIfPresent(migration, forKey: .migration)
        try stored.encodeIfPresent(passkeys, forKey: .passkeys)
        try stored.encodeIfPresent(delivery, forKey: .delivery)
        try stored.encode(messages, forKey: .messages)
        try stored.encode(blocks, forKey: .blocks)
        try Self.schema.write(self, to: encoder)
    }

    /// Decodes a stored record. Settings that are missing in an older record have their defaults.
    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = AppID(stored: try stored.decode(String.self, forKey: .id)) else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: stored, debugDescription: "not an app id")
        }
        self.init(id: id, name: "", createdAt: try stored.decode(Timestamp.self, forKey: .createdAt))
        try Self.schema.read(decoder, names: .stored, into: &self)
        func read<Value: Decodable>(_ key: CodingKeys, _ setting: inout Value) throws {
            if let value = try stored.decodeIfPresent(Value.self, forKey: key) { setting = value }
        }
        try read(.sessions, &sessions)
        try read(.otpLogins, &otpLogins)
        try read(.otpLimits, &otpLimits)
        // Records without registered scopes: logins granted their scopes without registration.
        scopes = Array(Set(otpLogins.flatMap(\.grantedScopes))).sorted()
        try read(.scopes, &scopes)
        try read(.messages, &messages)
        try read(.blocks, &blocks)
        passwordLogin = try stored.decodeIfPresent(PasswordLoginConfig.self, forKey: .passwordLogin)
        stepUp = try stored.decodeIfPresent(StepUpConfig.self, forKey: .stepUp)
        claims = try stored.decodeIfPresent(ClaimsConfig.self, forKey: .claims)
        migration = try stored.decodeIfPresent(MigrationConfig.self, forKey: .migration)
        passkeys = try stored.decodeIfPresent(PasskeyConfig.self, forKey: .passkeys)
        delivery = try stored.decodeIfPresent(DeliveryConfig.self, forKey: .delivery)
    }
}

extension App {
    /// The name as messages show it. Earlier versions stored names that are links.
    package var nameInMessages: String { LinkedName.removed(from: name) }

    /// Scopes that can be granted: they are registered, and a step-up rule decides on them or a login grants them. A scope
    /// that leaves this set loses its grants.
    package var grantableScopes: Set<String> {
        let decided = stepUp?.rules.map(\.scope) ?? []
        return Set(scopes).intersection(decided + otpLogins.flatMap(\.grantedScopes) + (passkeys?.grantedScopes ?? []))
    }

    /// Returns the scopes that keep their grants and challenges after a change: still grantable, with unchanged rules.
    package func scopesKept(from old: App) -> Set<String> {
        grantableScopes.filter { scope in
            let before = old.stepUp?.rules.filter { $0.scope == scope } ?? []
            return before == stepUp?.rules.filter { $0.scope == scope } ?? []
        }
    }
}

extension App {
    /// - Parameter apps: All apps, with or without this one.
    /// - Throws: `Refusal.conflict` if another app has one of the domains.
    func requireOwnDomains(beside apps: [App]) throws(Refusal) {
        let taken = Set(apps.filter { $0.id != id }.flatMap(\.domains))
        if let domain = domains.first(where: taken.contains) {
            throw .conflict("domains contains \(domain), which belongs to another app")
        }
    }
}

extension App {
    /// Names the settings by their content. A page that was opened before another operator changed them names others.
    package var version: String {
        let content = (try? TokenJSON.encode(self)) ?? Data()
        return Base64URL.encode(Data(SHA256.hash(data: content)).prefix(12))
    }
}

/// A custom domain of an app, with an id that follows from both.
package struct CustomDomain: Sendable, Equatable {
    /// `dom_` and 26 characters. The same domain of the same app always has the same id.
    package let id: String
    package let name: String

    package init(_ name: String, of app: AppID) {
        let digest = Array(SHA256.hash(data: Data("\(app.rawValue) \(name)".utf8)))
        self.name = name
        id = "dom_" + ULID.text(of: Array(digest.prefix(16)))
    }
}

extension App {
    package var customDomains: [CustomDomain] { domains.map { CustomDomain($0, of: id) } }
}

extension App {
    /// The login for an identifier that is used when an app names none.
    package func defaultLogin(with type: IdentifierType) -> OTPLoginConfig? {
        let fitting = otpLogins.filter { $0.channel.identifierType == type }
        return fitting.first(where: \.isDefault) ?? fitting.first
    }

    /// Adds a login, or replaces the one with its id. If it is the default of its channel, no other one is.
    package mutating func set(_ login: OTPLoginConfig) {
        if let index = otpLogins.firstIndex(where: { $0.id == login.id }) {
            otpLogins[index] = login
        } else {
            otpLogins.append(login)
        }
        guard login.isDefault else { return }
        for index in otpLogins.indices where otpLogins[index].id != login.id {
            if otpLogins[index].channel == login.channel { otpLogins[index].isDefault = false }
        }
    }
}

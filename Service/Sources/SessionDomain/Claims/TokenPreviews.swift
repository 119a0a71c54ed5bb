internal import Foundation
package import SessionTokens

/// Shows what the access tokens of an app contain, without issuing one. Nothing is signed and nothing is stored.
package struct TokenPreviews: Sendable {
    /// The parts of a token, decoded.
    package struct Preview: Sendable, Equatable {
        package let header: [String: JSONValue]
        package let payload: [String: JSONValue]
    }

    /// The kinds of clients, whose tokens differ.
    package enum Client: String, Sendable, CaseIterable {
        /// An app, or a browser that makes proofs.
        case withKey = "key"
        /// A browser that makes no proofs. Its tokens repeat the claims of the app under `cc`.
        case withoutKey = "none"
    }

    /// The client of every preview.
    package static let facts = ClientFacts(
        ip: "192.0.2.1", platform: "ios", countryCode: "FR", locales: ["fr-FR", "en"])

    private let directory: AppDirectory
    private let issuer: TokenIssuer
    private let environment: ServiceEnvironment

    init(directory: AppDirectory, keys: KeyRing, environment: ServiceEnvironment) {
        self.directory = directory
        self.environment = environment
        issuer = TokenIssuer(keys: keys, environment: environment)
    }

    /// Makes the token that a new session without scopes would get.
    ///
    /// - Parameters:
    ///   - mapping: The claims to try, as an operator writes them.
    ///   - user: `nil`: an example user, who has each key of the profile that the claims name.
    /// - Throws: `Refusal.invalidField` for a claim; the refusal of a user who may not sign in; `.invalidField("client")` if the
    ///   app admits no session of this client.
    package func preview(
        _ mapping: [String: JSONValue], user: User?, client: Client = .withKey, app id: AppID
    ) async throws -> Preview {
        let now = environment.now()
        let config = ClaimsConfig(mapping: try ClaimsManagement.sources(mapping), at: now)
        let app = try await directory.app(id)
        let thumbprint = client == .withKey ? Base64URL.encode(environment.randomBytes(32)) : nil
        let policy = app.settings.sessions
        guard policy.admits(keyThumbprint: thumbprint) else {
            throw Refusal.invalidField("client", "gets no session: the app requires a key of the device")
        }
        let user = try user ?? example(config, app: id, now: now)
        let session = Session(
            id: environment.newID("ses"), appID: id, userID: user.id, keyThumbprint: thumbprint,
            device: Device(countryCode: Self.facts.countryCode), createdAt: now,
            idleExpiresAt: now + policy.idleLifetime,
            absoluteExpiresAt: now + policy.absoluteLifetime)
        let claims = try issuer.claims(
            app: app, mapping: config, session: session, user: user, grants: [], client: Self.facts, now: now)
        let header = JWT.header(type: TokenType.accessToken, key: app.accessKey)
        return Preview(header: try Self.decoded(Data(header)), payload: try Self.decoded(claims.json))
    }

    private static func decoded(_ json: Data) throws -> [String: JSONValue] {
        try TokenJSON.decode([String: JSONValue].self, from: json)
    }

    private func example(_ config: ClaimsConfig, app: AppID, now: Timestamp) throws -> User {
        let keys = config.mapping.values.compactMap { source -> String? in
            if case .customClaim(let key) = source { key } else { nil }
        }
        return User(
            id: environment.newID("usr"), appID: app,
            profile: Dictionary(keys.map { ($0, JSONValue.string("example")) }) { first, _ in first },
            identifiers: [
                try CanonicalIdentifier(type: "email_address", value: "ada@example.com"),
                try CanonicalIdentifier(type: "phone_number", value: "+14155550100"),
            ], createdAt: now)
    }
}

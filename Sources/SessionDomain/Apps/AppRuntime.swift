package import SessionRSA
package import SessionTokens

/// An app with everything opened that requests need: keys, nonces, origins.
package struct AppRuntime: Sendable {
    package let app: App
    package let issuer: String
    package let origins: PublicOrigins
    /// The key that signs access tokens now, and all that verify them.
    package let accessKey: SigningKey
    package let accessKeys: JWKSet
    package let challengeKey: SigningKey
    package let challengeKeys: JWKSet
    /// The keys of hooks and webhooks, newest first; none until something needs one.
    package let hookKeys: [RSASigningKey]
    /// The members of every key in `jwks.json`: access tokens and hooks (RFC 7517 §4).
    package let publishedKeys: [[String: String]]
    package let nonces: DPoPNonce

    /// The key that signs hooks and webhooks now.
    package var hookKey: RSASigningKey? { hookKeys.first }

    init(
        app: App, stored: [StoredSigningKey], hookKeys: [StoredHookKey], keys: KeyRing, origins: PublicOrigins
    ) throws {
        let access = try stored.filter { $0.purpose == .access }.map(keys.open)
        let challenge = try stored.filter { $0.purpose == .challenge }.map(keys.open)
        guard let accessKey = access.first, let challengeKey = challenge.first else {
            throw KeyRingError.cannotOpen
        }
        self.app = app
        self.origins = origins
        issuer = origins.issuer(of: app)
        self.accessKey = accessKey
        accessKeys = JWKSet(keys: access.map(\.publicJWK))
        self.challengeKey = challengeKey
        challengeKeys = JWKSet(keys: challenge.map(\.publicJWK))
        self.hookKeys = try hookKeys.map(keys.open)
        publishedKeys =
            access.map(\.publicJWK.publishedMembers)
            + self.hookKeys.map { key in
                key.publicKey.members.merging(["kid": key.keyID, "alg": "PS256", "use": "sig"]) { first, _ in first }
            }
        nonces = DPoPNonce(secret: keys.nonceSecret, audience: app.id.rawValue)
    }
}

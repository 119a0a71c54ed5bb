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
    package let nonces: DPoPNonce

    init(app: App, stored: [StoredSigningKey], keys: KeyRing, origins: PublicOrigins) throws {
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
        nonces = DPoPNonce(secret: keys.nonceSecret, audience: app.id.rawValue)
    }
}

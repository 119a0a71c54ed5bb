package import SessionRSA
package import SessionTokens

/// An app with everything opened that requests need: keys, nonces, origins.
package struct AppRuntime: Sendable {
    package let app: App
    package let issuer: String
    package let origins: PublicOrigins
    /// The key that signs access tokens now, and all that verify them.
    package let accessKey: any TokenSigner
    package let accessKeys: VerificationKeys
    package let challengeKey: any TokenSigner
    package let challengeKeys: VerificationKeys
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
        guard let accessKey = access.first?.signer, let challengeKey = challenge.first?.signer else {
            throw KeyRingError.cannotOpen
        }
        self.app = app
        self.origins = origins
        issuer = origins.issuer(of: app)
        self.accessKey = accessKey
        accessKeys = VerificationKeys(access.map(\.publicKey))
        self.challengeKey = challengeKey
        challengeKeys = VerificationKeys(challenge.map(\.publicKey))
        self.hookKeys = try hookKeys.map(keys.open)
        publishedKeys =
            accessKeys.keys.map(\.publishedMembers)
            + self.hookKeys.map { key in
                key.publicKey.requiredMembers.merging(["kid": key.keyID, "alg": "PS256", "use": "sig"]) { first, _ in
                    first
                }
            }
        nonces = DPoPNonce(secret: keys.nonceSecret, audience: app.id.rawValue)
    }
}

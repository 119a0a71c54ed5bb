package import SessionRSA
package import SessionTokens

/// An app with everything opened that requests need: keys, nonces, origins.
package struct AppRuntime: Sendable {
    package let settings: App
    package let issuer: String
    package let origins: PublicOrigins
    package let nonces: DPoPNonceIssuer
    private let opened: OpenedKeys
    /// Those of the keys that count at the moment for which this was made.
    private let chosen: OpenedKeys.Choice

    /// The key that signs access tokens now, and all that verify them.
    package var accessKey: any TokenSigner { chosen.accessKey }
    package var accessKeys: VerificationKeys { chosen.accessKeys }
    package var challengeKey: any TokenSigner { chosen.challengeKey }
    package var challengeKeys: VerificationKeys { chosen.challengeKeys }
    /// The key that signs hooks and webhooks now; none until something needs one.
    package var hookKey: RSASigningKey? { chosen.hookKey }

    /// The members of every key in `jwks.json`: access tokens and hooks (RFC 7517 §4).
    package var publishedKeys: [[String: String]] {
        accessKeys.keys.map(\.publishedMembers)
            + chosen.hookKeys.map { key in
                key.publicKey.requiredMembers.merging(["kid": key.keyID, "alg": "PS256", "use": "sig"]) { first, _ in
                    first
                }
            }
    }

    init(
        app: App, stored: [StoredSigningKey], keys: KeyRing, origins: PublicOrigins, at now: Timestamp,
        uptime: Int64 = .max, previous: AppRuntime? = nil, ready: [KeyFirstSeen.Name: Int64] = [:]
    ) throws {
        settings = app
        self.origins = origins
        issuer = origins.issuer(of: app)
        nonces = DPoPNonceIssuer(
            secret: keys.nonceSecret, older: keys.olderNonceSecrets, audience: app.id.rawValue)
        opened = try OpenedKeys(stored, keys: keys, previous: previous?.opened, ready: ready)
        guard let chosen = opened.choice(at: now, uptime: uptime) else { throw KeyRingError.cannotOpen }
        self.chosen = chosen
    }

    /// The names of master keys that are missing.
    var missingMasterKeys: Set<String> { opened.missingMasterKeys }

    /// The same with the keys that count at another moment: they change by the clock, without a look-up.
    func at(_ now: Timestamp, uptime: Int64 = .max) -> AppRuntime {
        guard !chosen.counts(at: now, uptime: uptime), let chosen = opened.choice(at: now, uptime: uptime) else {
            return self
        }
        return AppRuntime(self, chosen: chosen)
    }

    private init(_ other: AppRuntime, chosen: OpenedKeys.Choice) {
        settings = other.settings
        issuer = other.issuer
        origins = other.origins
        nonces = other.nonces
        opened = other.opened
        self.chosen = chosen
    }
}

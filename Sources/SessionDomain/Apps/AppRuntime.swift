package import SessionRSA
package import SessionTokens

/// An app with everything that requests need: settings, opened keys, nonces, origins.
package struct AppRuntime: Sendable {
    package let settings: App
    package let issuer: String
    package let origins: PublicOrigins
    package let nonces: DPoPNonce
    private let opened: OpenedKeys
    /// The keys to use at the time for which this value was created.
    private let chosen: OpenedKeys.Choice

    /// The key that signs access tokens now.
    package var accessKey: any TokenSigner { chosen.accessKey }
    /// The keys that verify access tokens.
    package var accessKeys: VerificationKeys { chosen.accessKeys }
    package var challengeKey: any TokenSigner { chosen.challengeKey }
    package var challengeKeys: VerificationKeys { chosen.challengeKeys }
    /// The key that signs hooks and webhooks now. `nil` until the first hook or webhook is configured or called.
    package var hookKey: RSASigningKey? { chosen.hookKey }

    /// The members of each key in `jwks.json`: keys of access tokens and of hooks (RFC 7517 §4).
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
        nonces = DPoPNonce(
            secret: keys.nonceSecret, older: keys.olderNonceSecrets, audience: app.id.rawValue)
        opened = try OpenedKeys(stored, keys: keys, previous: previous?.opened, ready: ready)
        guard let chosen = opened.choice(at: now, uptime: uptime) else { throw KeyRingError.cannotOpen }
        self.chosen = chosen
    }

    /// The ids of missing master keys.
    var missingMasterKeys: Set<String> { opened.missingMasterKeys }

    /// Returns the app with the keys to use at another time. Keys change by the clock, without a query.
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

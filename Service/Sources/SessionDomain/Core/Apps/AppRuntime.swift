package import SessionRSA
package import SessionTokens

/// An app with everything that requests need: settings, opened keys, nonces, origins.
///
/// It never changes. It is a class because each layer of a request passes it on, and a copy of its members costs more than
/// one reference.
package final class AppRuntime: Sendable {
    package let settings: App
    package let issuer: String
    package let origins: PublicOrigins
    /// All origins of the app in the form in which targets are compared, the first one first.
    private let normalisedOrigins: [String]
    package let nonces: DPoPNonceIssuer
    private let keys: OpenedKeys
    /// The keys to use at the time for which this value was created.
    private let selection: OpenedKeys.Selection

    /// The key that signs access tokens now.
    package var accessKey: any TokenSigner { selection.accessKey }
    /// The keys that verify access tokens.
    package var accessKeys: VerificationKeys { selection.accessKeys }
    package var challengeKey: any TokenSigner { selection.challengeKey }
    package var challengeKeys: VerificationKeys { selection.challengeKeys }
    /// The key that signs hooks and webhooks now. `nil` until the first hook or webhook is configured or called.
    package var hookKey: RSASigningKey? { selection.hookKey }

    /// The first origin of the app. Its host is the `iss` of tokens.
    package var mainOrigin: String { normalisedOrigins.first ?? "" }

    /// Returns the `htu` values that a proof may contain for a path of this app.
    package func targets(path: String) -> [TargetURI] {
        TargetURI.targets(ofOrigins: normalisedOrigins, path: path)
    }

    /// The members of each key in `jwks.json`: keys of access tokens and of hooks (RFC 7517 §4).
    package var publishedKeys: [[String: String]] {
        accessKeys.keys.map(\.publishedMembers)
            + selection.hookKeys.map { key in
                key.publicKey.requiredMembers.merging(["kid": key.keyID, "alg": "PS256", "use": "sig"]) { first, _ in
                    first
                }
            }
    }

    /// - Parameters:
    ///   - stored: All signing keys of the app.
    ///   - uptime: Uptime in milliseconds.
    ///   - previous: The app as this process has loaded it before.
    /// - Throws: `KeyRingError` if a key cannot be opened.
    init(
        app: App, stored: [StoredSigningKey], keys ring: KeyRing, origins: PublicOrigins, policy: KeyRotationPolicy,
        at now: Timestamp, uptime: Int64, previous: AppRuntime? = nil
    ) throws {
        settings = app
        self.origins = origins
        issuer = origins.issuer(of: app)
        normalisedOrigins = origins.normalisedOrigins(of: app)
        nonces = DPoPNonceIssuer(
            secret: ring.nonceSecret, older: ring.olderNonceSecrets, audience: app.id.rawValue)
        keys = try OpenedKeys(stored, keys: ring, previous: previous?.keys, policy: policy, now: now, uptime: uptime)
        guard let selection = keys.selection(at: now, uptime: uptime) else { throw KeyRingError.cannotOpen }
        self.selection = selection
    }

    /// The ids of missing master keys.
    var missingMasterKeys: Set<String> { keys.missingMasterKeys }

    /// Returns the app with the keys to use at another time. Keys change by the clock, without a query.
    func at(_ now: Timestamp, uptime: Int64) -> AppRuntime {
        guard !selection.isCurrent(at: now, uptime: uptime), let selection = keys.selection(at: now, uptime: uptime)
        else { return self }
        return AppRuntime(self, selection: selection)
    }

    private init(_ other: AppRuntime, selection: OpenedKeys.Selection) {
        settings = other.settings
        issuer = other.issuer
        normalisedOrigins = other.normalisedOrigins
        origins = other.origins
        nonces = other.nonces
        keys = other.keys
        self.selection = selection
    }
}

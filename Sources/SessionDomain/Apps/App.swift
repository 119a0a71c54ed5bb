package import SessionTokens

/// One app: who may sign in, how, and for how long.
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
    /// Whether an unknown identifier becomes a user when its code is right.
    package var signUp = true
    package var passwordLogin: PasswordLoginConfig?
    package var otpLogins: [OTPLoginConfig] = []
    package var otpLimits = OTPLimits()
    package let createdAt: Timestamp

    package init(id: AppID, name: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }
}

/// How long tokens live, and when a proof needs a nonce. Lengths in seconds.
package struct SessionPolicy: Sendable, Equatable, Codable {
    /// When a proof must carry a nonce of ours (RFC 9449 §8).
    package enum NoncePolicy: String, Sendable, Codable {
        /// Only when its `iat` is not within the accepted window.
        case whenNeeded = "when_needed"
        case always
    }

    /// 60–900.
    package var accessTokenLifetime = 300
    /// How long an unused session lasts.
    package var idleLifetime = 30 * 86_400
    /// How long any session lasts.
    package var absoluteLifetime = 365 * 86_400
    /// How long the token just spent may come again with its key, its successor unused. `nil`: as long as it is unused.
    package var boundGrace: Int?
    /// The same for a session without a key, where the token is all there is.
    package var unboundGrace = 10
    package var noncePolicy: NoncePolicy = .whenNeeded
    /// How far a proof's `iat` may be off, either way.
    package var proofWindow = 60

    package init() {}
}

/// How long tokens live, what access tokens are bound to, and when a proof needs a nonce. Lengths in seconds.
package struct SessionPolicy: Sendable, Equatable, Codable {
    /// When a proof must carry a nonce of ours (RFC 9449 §8).
    package enum NoncePolicy: String, Sendable, Codable {
        /// Only when its `iat` is not within the accepted window.
        case whenNeeded = "when_needed"
        case always
    }

    /// What new access tokens are good with. A token that is out is judged by its own `cnf`, whatever is set now.
    package enum AccessTokenBinding: String, Sendable, Codable {
        /// By themselves (RFC 6750); only the refresh token is bound to the key.
        case bearer = "none"
        /// With a proof by the session's key only (RFC 9449 §6.1). Who has no key gets no token (§5.2).
        case dpop
    }

    /// 60–900.
    package var accessTokenLifetime = 300
    package var accessTokenBinding: AccessTokenBinding = .bearer
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

    /// Whether a client with this key, or without one, gets access tokens at all.
    package func admits(keyThumbprint: String?) -> Bool { accessTokenBinding == .bearer || keyThumbprint != nil }
}

extension SessionPolicy {
    enum CodingKeys: CodingKey {
        case accessTokenLifetime, accessTokenBinding, idleLifetime, absoluteLifetime, boundGrace, unboundGrace
        case noncePolicy, proofWindow
    }

    /// A setting that is younger than the record has its default.
    package init(from decoder: any Decoder) throws {
        self.init()
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ setting: inout Value) throws {
            if let value = try stored.decodeIfPresent(Value.self, forKey: key) { setting = value }
        }
        try read(.accessTokenLifetime, &accessTokenLifetime)
        try read(.accessTokenBinding, &accessTokenBinding)
        try read(.idleLifetime, &idleLifetime)
        try read(.absoluteLifetime, &absoluteLifetime)
        try read(.unboundGrace, &unboundGrace)
        try read(.noncePolicy, &noncePolicy)
        try read(.proofWindow, &proofWindow)
        boundGrace = try stored.decodeIfPresent(Int.self, forKey: .boundGrace)
    }
}

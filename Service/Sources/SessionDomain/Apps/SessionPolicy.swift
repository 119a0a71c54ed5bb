/// Lifetimes of tokens and sessions, the binding of access tokens, and when a proof needs a nonce. All times in seconds.
package struct SessionPolicy: Sendable, Equatable, Codable {
    /// When a proof must contain a nonce of the service (RFC 9449 §8).
    package enum NoncePolicy: String, Sendable, Codable {
        /// Only if its `iat` is outside the accepted window.
        case whenNeeded = "when_needed"
        case always
    }

    /// What new access tokens are bound to. An existing token is checked by its own `cnf`, whatever is set now.
    package enum AccessTokenBinding: String, Sendable, Codable {
        /// Nothing (RFC 6750). Only the refresh token is bound to the session's key.
        case bearer = "none"
        /// The session's key: each use needs a proof (RFC 9449 §6.1). A client without a key gets no token (§5.2).
        case dpop
    }

    /// Whether a session needs a key of the device.
    package enum DeviceKey: String, Sendable, Codable {
        /// Browsers may sign in without a key. Headers decide what a browser is, and any client can send them.
        case optional
        /// A client without a key gets no token, whatever its headers are.
        case required
    }

    /// Allowed values of `maximumSessions`.
    package static let maximumSessionCounts = 1...1000
    /// Allowed values of `accessTokenLifetime`.
    package static let accessTokenLifetimes = 60...900

    package var accessTokenLifetime = 300
    package var accessTokenBinding: AccessTokenBinding = .bearer
    package var deviceKey: DeviceKey = .optional
    /// Live sessions of one user. A login above this ends the session that was unused longest.
    package var maximumSessions = 100
    /// The lifetime of an unused session.
    package var idleLifetime = 30 * 86_400
    /// The lifetime of every session, used or not.
    package var absoluteLifetime = 365 * 86_400
    /// How long a lost answer is repeated for a client that sends the session's key and no attempt ids. `nil`: until the
    /// successor is used, because rotation of a token that is bound to a key detects nothing more (RFC 9700 §4.14.2). With
    /// attempt ids there is never a limit.
    package var boundGrace: Int?
    /// How long a lost answer is repeated for a session without a key.
    package var unboundGrace = 10
    package var noncePolicy: NoncePolicy = .whenNeeded
    /// How much a proof's `iat` may differ from the current time, in either direction.
    package var proofWindow = 60

    package init() {}

    /// Whether a client with this key, or without a key, gets access tokens.
    package func admits(keyThumbprint: String?) -> Bool {
        keyThumbprint != nil || (accessTokenBinding == .bearer && deviceKey == .optional)
    }
}

extension SessionPolicy {
    enum CodingKeys: String, CodingKey {
        case accessTokenLifetime, accessTokenBinding, idleLifetime, absoluteLifetime, unboundGrace
        case noncePolicy, proofWindow, deviceKey, maximumSessions
        case boundGrace = "boundGraceLimit"
    }

    /// Settings of versions that always stored one.
    private enum OldKeys: CodingKey { case boundGrace }
    private static let oldBoundGrace = 60

    /// Decodes a stored record. Settings that are missing in an older record have their defaults.
    ///
    /// Older versions stored a `boundGrace` with every policy, also when no operator had set it. Their default counts as not
    /// set.
    package init(from decoder: any Decoder) throws {
        self.init()
        let old = try decoder.container(keyedBy: OldKeys.self).decodeIfPresent(Int.self, forKey: .boundGrace)
        boundGrace = old == Self.oldBoundGrace ? nil : old
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ setting: inout Value) throws {
            if let value = try stored.decodeIfPresent(Value.self, forKey: key) { setting = value }
        }
        try read(.accessTokenLifetime, &accessTokenLifetime)
        try read(.accessTokenBinding, &accessTokenBinding)
        try read(.deviceKey, &deviceKey)
        try read(.maximumSessions, &maximumSessions)
        try read(.idleLifetime, &idleLifetime)
        try read(.absoluteLifetime, &absoluteLifetime)
        if let limit = try stored.decodeIfPresent(Int.self, forKey: .boundGrace) { boundGrace = limit }
        try read(.unboundGrace, &unboundGrace)
        try read(.noncePolicy, &noncePolicy)
        try read(.proofWindow, &proofWindow)
    }
}

extension SessionPolicy {
    /// Rejects lifetimes that are out of range or contradict each other.
    package func validate() throws(Refusal) {
        guard Self.accessTokenLifetimes.contains(accessTokenLifetime) else {
            throw .invalidField("access_token_lifetime", "must be 60 to 900 seconds")
        }
        guard Self.maximumSessionCounts.contains(maximumSessions) else {
            throw .invalidField("maximum_sessions", "must be 1 to 1000")
        }
        guard (accessTokenLifetime...365 * 86_400).contains(idleLifetime) else {
            throw .invalidField("idle_lifetime", "must be access_token_lifetime to 31536000 seconds")
        }
        guard (idleLifetime...10 * 365 * 86_400).contains(absoluteLifetime) else {
            throw .invalidField("absolute_lifetime", "must be idle_lifetime to 315360000 seconds")
        }
        guard boundGrace.map((10...365 * 86_400).contains) ?? true else {
            throw .invalidField("bound_grace", "must be 10 to 31536000 seconds, or left out")
        }
        guard (0...60).contains(unboundGrace) else {
            throw .invalidField("unbound_grace", "must be 0 to 60 seconds")
        }
        guard (10...300).contains(proofWindow) else {
            throw .invalidField("proof_window", "must be 10 to 300 seconds")
        }
    }
}

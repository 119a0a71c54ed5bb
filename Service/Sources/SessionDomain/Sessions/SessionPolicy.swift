/// Lifetimes of tokens and sessions, the binding of access tokens, and when a proof needs a nonce. All times in seconds.
package struct SessionPolicy: SettingsGroup {
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

    /// The largest `accessTokenLifetime`.
    package static let longestAccessTokenLifetime = 900

    package var accessTokenLifetime = 300
    package var accessTokenBinding: AccessTokenBinding = .bearer
    package var deviceKey: DeviceKey = .optional
    /// How long a device is known after a login.
    package var knownDeviceLifetime = KnownDevice.longestLifetime
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
    package static let defaults = Self()
    package static var place: any WritableKeyPath<App, Self> & Sendable { \.sessions }

    package static let schema = SettingsSchema<Self>(
        "sessions",
        [
            .init(
                "Lifetimes",
                [
                    .number(
                        "idle_lifetime", \.idleLifetime,
                        from: .setting("access_token_lifetime", \.accessTokenLifetime), to: 31_536_000,
                        in: .seconds, "Unused session", hint: "It ends after this time."),
                    .number(
                        "absolute_lifetime", \.absoluteLifetime, from: .setting("idle_lifetime", \.idleLifetime),
                        to: 315_360_000, in: .seconds, "Every session",
                        hint: "It ends after this time, used or not."),
                    .number(
                        "access_token_lifetime", \.accessTokenLifetime, from: 60,
                        to: .value(longestAccessTokenLifetime), in: .seconds,
                        "Access token"),
                    .number(
                        "known_device_lifetime", \.knownDeviceLifetime, from: 86_400,
                        to: .value(KnownDevice.longestLifetime), in: .seconds, "Known device",
                        hint: "For so long after a login, its device has limits of its own, and no notice of a new one."
                    ),
                    .number(
                        "maximum_sessions", \.maximumSessions, from: 1, to: 1000, "Sessions of one user",
                        hint: "One more login ends the session that was unused longest."),
                ]),
            .init(
                "Binding to the device",
                [
                    .choice(
                        "device_key", \.deviceKey, "Key of the device",
                        [.optional: "Optional: browsers may sign in without one", .required: "Required"]
                    ).kept(),
                    .choice(
                        "access_token_binding", \.accessTokenBinding, "Access tokens",
                        [.bearer: "Not bound", .dpop: "Bound: each use needs a proof (DPoP)"]
                    ).kept(),
                    .choice(
                        "nonce_policy", \.noncePolicy, "Nonce of proofs",
                        [.whenNeeded: "When the clock of the device is wrong", .always: "Always"]),
                    .number(
                        "proof_window", \.proofWindow, from: 10, to: 300, in: .seconds, "Age of a proof",
                        hint: "A proof may differ so much from the time."),
                ]),
            .init(
                "Lost answers",
                [
                    .number(
                        "bound_grace", \.boundGrace, in: 10...31_536_000, in: .seconds, "Repetition with a key",
                        hint: "A client with a key and without attempt ids gets a lost answer again. Empty: until it "
                            + "has used the next token."
                    ).stored(as: "boundGraceLimit"),
                    .number(
                        "unbound_grace", \.unboundGrace, from: 0, to: 60, in: .seconds, "Repetition without a key",
                        hint: "A browser without a key gets a lost answer again."),
                ]),
        ])

    /// Settings of versions that always stored one.
    private enum OldKeys: CodingKey { case boundGrace }
    private static let oldBoundGrace = 60

    /// Decodes a stored record.
    ///
    /// Older versions stored a `boundGrace` with every policy, also when no operator had set it. Their default counts as not
    /// set.
    package init(from decoder: any Decoder) throws {
        self.init()
        let old = try decoder.container(keyedBy: OldKeys.self).decodeIfPresent(Int.self, forKey: .boundGrace)
        boundGrace = old == Self.oldBoundGrace ? nil : old
        try Self.schema.read(decoder, names: .stored, into: &self)
    }
}

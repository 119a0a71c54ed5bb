internal import Foundation
internal import SessionTokens
package import SessionWebAuthn

/// Signs in with a passkey. No account is named: the passkey says who the user is.
package struct PasskeyLogin: Sendable {
    private let store: any PasskeyStore
    private let keys: KeyRing
    private let sources: SourceLimiter
    private let environment: ServiceEnvironment

    init(store: any PasskeyStore, keys: KeyRing, sources: SourceLimiter, environment: ServiceEnvironment) {
        self.store = store
        self.keys = keys
        self.sources = sources
        self.environment = environment
    }

    /// Begins a login. It writes nothing, and is the same for everybody.
    ///
    /// - Throws: `Refusal.passkeyNotConfigured`.
    package func begin(app: AppRuntime) throws -> (request: PasskeyRequest, token: String) {
        let config = try Self.config(of: app)
        let now = environment.now()
        let token = try app.issuePasskeyToken(
            PasskeyClaims(
                aud: PasskeyClaims.audience(.login, of: app.settings), jti: environment.newID("pkl"),
                iat: now.seconds, exp: now.seconds + PasskeyClaims.lifetime))
        return (app.passkeyRequest(config, token: token, allowed: []), token)
    }

    /// Ends a login.
    ///
    /// - Parameter deviceToken: The token of a known device. An invalid one is ignored.
    /// - Returns: The challenge token for finalize.
    /// - Throws: `Refusal.unauthorized` for an unknown passkey and for a wrong response alike;
    ///   `.passkeyNotConfigured`, `.invalidChallenge`, `.expiredChallenge`, `.challengeReused`, `.rateLimited`, and the
    ///   refusals of users who may not sign in.
    package func finish(
        app: AppRuntime, token: String, _ response: AssertionResponse, deviceToken: String? = nil,
        source: SourceAddress
    ) async throws -> String {
        let config = try Self.config(of: app)
        let now = environment.now()
        let events = EventFactory(appID: app.settings.id, environment: environment)
        let claims: PasskeyClaims
        do throws(Refusal) { claims = try app.verifyPasskeyToken(token, .login, now: now) } catch {
            throw try await invalid(error, app, source, now, events)
        }
        let id = Base64URL.encode(Data(response.credentialID))
        guard let passkey = try await store.passkey(id, app: app.settings.id), config.accepts(passkey) else {
            throw try await invalid(.unauthorized, app, source, now, events)
        }
        let (tokenID, tokenExpiresAt) = (claims.jti, Timestamp(seconds: claims.exp))
        let use: PasskeyUse
        do throws(WebAuthnError) {
            use = try PasskeyUse(verifying: response, by: passkey, token: token, config: config)
        } catch {
            let refusal = try await invalid(.unauthorized, app, source, now, events)
            try await store.perform(
                ReportWrongPasskey(
                    passkey, problem: error.problem, tokenID: tokenID, tokenExpiresAt: tokenExpiresAt, events: events))
            throw refusal
        }
        // Before it is reported: a caller that has reached its limit writes no event.
        if config.refusesLowerCounter, use.found(in: [passkey], now: now)?.wentBack == true {
            _ = try await invalid(.unauthorized, app, source, now, events)
        }
        let outcome = try await store.perform(
            SignInWithPasskey(
                use, refusesLowerCounter: config.refusesLowerCounter, tokenID: tokenID,
                tokenExpiresAt: tokenExpiresAt, now: now, events: events))
        switch outcome {
        case .signedIn(let user):
            let device = KnownDevice(
                deviceToken, app: app.settings.id, lifetime: app.settings.sessions.knownDeviceLifetime, keys: keys,
                now: now)
            return try app.issueLoginChallenge(
                for: user, grantedScopes: config.grantedScopes, method: .passkey, device: device,
                environment: environment)
        case .inactive(let status):
            throw try await invalid(status.refusal ?? .unauthorized, app, source, now, events)
        case .tokenUsed: throw try await invalid(.challengeReused, app, source, now, events)
        case .lowerCounter: throw Refusal.unauthorized
        case .unknown: throw try await invalid(.unauthorized, app, source, now, events)
        }
    }

    private static func config(of app: AppRuntime) throws(Refusal) -> PasskeyConfig {
        let config = try app.settings.requirePasskeys()
        guard config.loginEnabled else { throw .passkeyNotConfigured }
        return config
    }

    /// Counts a call that proves nothing.
    ///
    /// - Returns: `refusal`.
    /// - Throws: `Refusal.rateLimited` when the source address has made too many such calls.
    private func invalid(
        _ refusal: Refusal, _ app: AppRuntime, _ source: SourceAddress, _ now: Timestamp, _ events: EventFactory
    ) async throws -> Refusal {
        try await sources.take(
            .invalidCalls, for: .login(.passkey), source: source, limit: app.settings.otpLimits.invalidCallsPerAddress,
            now: now, reporting: events, to: store)
        return refusal
    }
}

extension AppRuntime {
    /// - Parameter token: Its SHA-256 is the challenge.
    func passkeyRequest(_ config: PasskeyConfig, token: String, allowed: [Passkey]) -> PasskeyRequest {
        PasskeyRequest(
            challenge: Data(PasskeyClaims.challenge(of: token)), relyingPartyID: config.relyingPartyID,
            allowed: allowed, userVerification: config.userVerification)
    }
}

/// Signs in with a passkey whose assertion was verified. Of two calls with one token, the second is refused.
package struct SignInWithPasskey: Intent {
    package let use: PasskeyUse
    package let refusesLowerCounter: Bool
    /// `jti` of the login token.
    package let tokenID: String
    package let tokenExpiresAt: Timestamp
    package let now: Timestamp
    package let events: EventFactory

    package init(
        _ use: PasskeyUse, refusesLowerCounter: Bool, tokenID: String, tokenExpiresAt: Timestamp, now: Timestamp,
        events: EventFactory
    ) {
        self.use = use
        self.refusesLowerCounter = refusesLowerCounter
        self.tokenID = tokenID
        self.tokenExpiresAt = tokenExpiresAt
        self.now = now
        self.events = events
    }

    package struct Facts: Sendable {
        let user: User?
        let passkeys: [Passkey]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(app: events.appID, .user(use.passkey.userID), .passkeys, .failures, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<SignInWithPasskeyOutcome> {
        if facts.failures.isTaken(.redemption(tokenID)) { return Decision(.tokenUsed) }
        let once = Change.redeem(tokenID, until: tokenExpiresAt, app: events.appID)
        guard let user = facts.user, let found = use.found(in: facts.passkeys, now: now) else {
            return Decision(.unknown)
        }
        let isRefused = found.wentBack && refusesLowerCounter
        let report = found.report(events, isRefused: isRefused)
        if isRefused { return Decision(.lowerCounter, [once] + report) }
        let used = [once, found.change] + report
        guard user.status == .active else {
            let event = events.loginFailed(.inactiveUser, .passkey, of: LoginSubject(nil, userID: user.id))
            return Decision(.inactive(user.status), used + [.append(event)])
        }
        return Decision(.signedIn(user), used)
    }
}

package enum SignInWithPasskeyOutcome: Sendable, Equatable {
    case signedIn(User)
    case inactive(User.Status)
    case tokenUsed
    /// The passkey was deleted meanwhile.
    case unknown
    case lowerCounter
}

/// Reports a wrong response for a known passkey, once for each login token.
package struct ReportWrongPasskey: Intent {
    package let passkey: Passkey
    package let problem: String
    package let tokenID: String
    package let tokenExpiresAt: Timestamp
    package let events: EventFactory

    package init(_ passkey: Passkey, problem: String, tokenID: String, tokenExpiresAt: Timestamp, events: EventFactory)
    {
        self.passkey = passkey
        self.problem = problem
        self.tokenID = tokenID
        self.tokenExpiresAt = tokenExpiresAt
        self.events = events
    }

    package var reads: Read<GuardFailures> { Read(app: events.appID, .failures) }

    package func decide(_ failures: GuardFailures) -> Decision<Void> {
        let key = "login.failed/\(tokenID)"
        guard !failures.isTaken(.redemption(key)) else { return Decision(()) }
        let event = events.loginFailed(
            .wrongPasskey, .passkey, of: LoginSubject(nil, userID: passkey.userID), problem: problem)
        return Decision((), [.redeem(key, until: tokenExpiresAt, app: events.appID), .append(event)])
    }
}

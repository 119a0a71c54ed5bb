internal import SessionTokens

/// Login with a code that is sent by SMS or e-mail.
package struct OTPLogin: Sendable {
    private let store: any LoginStore
    private let keys: KeyRing
    private let codes: CodeSender
    private let sources: SourceLimiter
    private let environment: ServiceEnvironment

    init(
        store: any LoginStore, keys: KeyRing, codes: CodeSender, sources: SourceLimiter,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.codes = codes
        self.sources = sources
        self.environment = environment
    }

    /// Starts a verification and queues its code. The answer is the same for known, unknown and blocked identifiers.
    ///
    /// - Parameters:
    ///   - deviceToken: The token of a known device. An invalid one is ignored.
    ///   - client: Its language tags choose the language of the message.
    ///   - dispatchID: For the send hook of the app.
    /// - Returns: The verification token. Only the caller knows it.
    package func start(
        app: AppRuntime, identifier: CanonicalIdentifier, loginConfigID: String?, codeChallenge: String?,
        deviceToken: String? = nil, client: ClientFacts = ClientFacts(), dispatchID: String? = nil,
        source: SourceAddress
    ) async throws -> String {
        if let codeChallenge, !PKCE.isWellFormed(challenge: codeChallenge) {
            throw Refusal.invalidField("code_challenge", "must be the S256 challenge of a verifier, 43 characters")
        }
        let config = try codes.loginConfig(of: app.settings, for: identifier.type, id: loginConfigID)
        try codes.requireDelivery(by: [config.channel], app: app.settings)
        let (appID, limits) = (app.settings.id, app.settings.otpLimits)
        try limits.requireAllowed(identifier)
        try app.settings.requireNotBlocked(identifier, now: environment.now())
        let (events, networks, number) = (events(app), keys.networks(of: source), codes.newNumber())
        let draw = codes.newDraw()
        let token = VerificationToken.make(environment: environment)
        let tokenHash = VerificationToken.hash(token)
        func start(at now: Timestamp, leaseEnd: Timestamp? = nil) -> StartVerification {
            let code = keys.issueCode(
                number: number, size: config.codeSize, of: tokenHash, expiresAt: now + limits.codeLifetime)
            return StartVerification(
                appID: appID, identifier: identifier, signUp: app.settings.signUp,
                codesWithPasskey: app.settings.codesWithPasskey,
                budget: CallBudget(
                    .start, limits: limits, device: knownDevice(deviceToken, app, now), networks: networks, draw: draw,
                    now: now),
                draft: codes.draft(by: config, locales: client.locales, leaseEnd: leaseEnd), now: now, events: events
            ) { recipient, isSuppressed in
                Verification(
                    tokenHash: tokenHash, appID: appID, identifier: recipient, loginConfigID: config.id,
                    codeChallenge: codeChallenge, isSuppressed: isSuppressed, code: code, lastSentAt: now,
                    createdAt: now)
            }
        }
        let first = start(at: environment.now())
        if limits.sendHook != nil, case .started = try await store.perform(Rehearsal(of: first)) {
            let request = SendRequest(.login, to: identifier, client: client, dispatchID: dispatchID)
            try await codes.askHook(request, of: app) { refusedSend($0, first.budget, to: identifier, app) }
        }
        // The hook may have taken seconds.
        let now = environment.now()
        let queue = MessageQueue(appID: appID, channel: config.channel, route: 0)
        try await codes.worker.delivering(in: queue, at: now) { leaseEnd in
            switch try await store.perform(start(at: now, leaseEnd: leaseEnd)) {
            case .limited(let limit): throw codes.refusal(limit, now: now)
            case .started(_, let message): return message
            }
        }
        return token
    }

    /// Queues another message for a running verification: with the same code while half of its life is left, otherwise
    /// with a new one.
    package func resend(
        app: AppRuntime, token: String, deviceToken: String? = nil, client: ClientFacts = ClientFacts(),
        source: SourceAddress
    ) async throws {
        var now = environment.now()
        let limits = app.settings.otpLimits
        let tokenHash = VerificationToken.hash(token)
        guard let running = try await store.verification(tokenHash: tokenHash, app: app.settings.id) else {
            throw try await invalid(.invalidVerificationToken, app: app, source: source, now: now)
        }
        // An operator may have closed the country since the start.
        try limits.requireAllowed(running.identifier)
        try app.settings.requireNotBlocked(running.identifier, now: now)
        let config = try codes.loginConfig(of: app.settings, for: running.identifier.type, id: running.loginConfigID)
        try codes.requireDelivery(by: [config.channel], app: app.settings)
        let (number, networks, events) = (codes.newNumber(), keys.networks(of: source), events(app))
        let draw = codes.newDraw()
        func resend(at now: Timestamp) -> ResendCode {
            let newCode = keys.issueCode(
                number: number, size: config.codeSize, of: tokenHash, expiresAt: now + limits.codeLifetime)
            return ResendCode(
                appID: app.settings.id, tokenHash: tokenHash, limits: limits,
                device: knownDevice(deviceToken, app, now), networks: networks, draw: draw, newCode: newCode,
                draft: codes.draft(by: config, locales: client.locales),
                codesWithPasskey: app.settings.codesWithPasskey, now: now, events: events)
        }
        let first = resend(at: now)
        if limits.sendHook != nil, case .send = try await store.perform(Rehearsal(of: first)) {
            let identifier = running.identifier
            let request = SendRequest(.login, isResend: true, to: identifier, client: client, dispatchID: nil)
            try await codes.askHook(request, of: app) { refusedSend($0, first.budget, to: identifier, app) }
        }
        now = environment.now()
        switch try await store.perform(resend(at: now)) {
        case .unknown: throw try await invalid(.invalidVerificationToken, app: app, source: source, now: now)
        case .limited(let until): throw Refusal.rateLimited(retryAfter: until.retryAfter(from: now))
        case .exhausted(let limit): throw codes.refusal(limit, now: now)
        case .send: codes.worker.wake()
        }
    }

    /// Checks a code. If it is correct and no user has the identifier, the user is created.
    ///
    /// - Returns: The challenge token for finalize.
    package func check(
        app: AppRuntime, token: String, code: String, deviceToken: String? = nil, source: SourceAddress,
        startsSession: Bool = false
    ) async throws -> String {
        let entered = try CodeDigits.entered(code)
        let now = environment.now()
        let limits = app.settings.otpLimits
        let tokenHash = VerificationToken.hash(token)
        let outcome = try await store.perform(
            CheckCode(
                appID: app.settings.id, tokenHash: tokenHash,
                codeHashes: keys.codeHashes(entered, tokenHash: tokenHash),
                limits: limits, device: knownDevice(deviceToken, app, now), networks: keys.networks(of: source),
                signUp: app.settings.signUp,
                codesWithPasskey: app.settings.codesWithPasskey,
                startsSession: startsSession, newUserID: environment.newID("usr"), now: now, events: events(app)))
        switch outcome {
        case .unknown: throw try await invalid(.invalidVerificationToken, app: app, source: source, now: now)
        case .verifierNeeded:
            throw Refusal.invalidField(
                "code_challenge", "of this login is not supported by this call; use /v1/session/otp/check")
        case .wrong: throw Refusal.badCode
        case .spent: throw try await invalid(.spentCode, app: app, source: source, now: now)
        case .limited(let limit): throw limit.refusal(now: now, observer: environment.observer)
        case .inactive(let status): throw status.refusal ?? .unauthorized
        case .right(let verification, let user, let isNew):
            let scopes = app.settings.otpLogins.first { $0.id == verification.loginConfigID }?.grantedScopes ?? []
            return try app.issueLoginChallenge(
                for: user, by: verification.identifier, answering: verification,
                grantedScopes: scopes, method: LoginMethod(codeTo: verification.identifier.type),
                isNew: isNew, device: knownDevice(deviceToken, app, now), environment: environment)
        }
    }

    /// Counts a call with an unknown or used-up verification.
    ///
    /// - Returns: `refusal`, or `.rateLimited` when the source address has made too many such calls.
    private func invalid(
        _ refusal: Refusal, app: AppRuntime, source: SourceAddress, now: Timestamp
    ) async throws -> Refusal {
        try await sources.take(
            .invalidCalls, for: .login(), source: source, limit: app.settings.otpLimits.invalidCallsPerAddress,
            now: now, reporting: events(app), to: store)
        return refusal
    }

    private func refusedSend(
        _ failure: LoginFailure, _ budget: CallBudget, to identifier: CanonicalIdentifier, _ app: AppRuntime
    ) -> CountRefusedSend {
        CountRefusedSend(
            appID: app.settings.id, budget: .init(budget, for: .identifier(identifier)),
            counters: { budget.counters(for: identifier, device: $0) },
            event: events(app).loginFailed(
                failure, LoginMethod(codeTo: identifier.type), of: LoginSubject(identifier)))
    }

    private func events(_ app: AppRuntime) -> EventFactory {
        EventFactory(appID: app.settings.id, environment: environment)
    }

    private func knownDevice(_ token: String?, _ app: AppRuntime, _ now: Timestamp) -> KnownDevice? {
        KnownDevice(
            token, app: app.settings.id, lifetime: app.settings.sessions.knownDeviceLifetime, keys: keys, now: now)
    }
}

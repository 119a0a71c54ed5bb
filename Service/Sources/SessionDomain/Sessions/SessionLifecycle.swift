package import SessionTokens
internal import Synchronization

/// Starts sessions with a challenge, renews them with refresh tokens, and ends them.
package struct SessionLifecycle: Sendable {
    private let store: any SessionStore
    private let keys: KeyRing
    private let issuer: TokenIssuer
    private let environment: ServiceEnvironment
    private let recoveries: RecoveryCounter

    init(
        store: any SessionStore, keys: KeyRing, environment: ServiceEnvironment, recoveries: RecoveryCounter
    ) {
        self.recoveries = recoveries
        self.store = store
        self.keys = keys
        self.environment = environment
        issuer = TokenIssuer(keys: keys, environment: environment)
    }

    /// Turns a completed challenge into a session and pins the key of the proof.
    ///
    /// - Parameters:
    ///   - proofIsOptional: Whether a proof may be missing: only for browsers, and only if the app's policy allows it.
    ///   - previousToken: The refresh token of the session that this login replaces. An old one is ignored.
    package func start(
        app: AppRuntime, challengeToken: String, codeVerifier: String?, proof: CheckedProof?, proofIsOptional: Bool,
        previousToken: String?, device: Device, client: ClientFacts
    ) async throws -> IssuedTokens {
        let now = environment.now()
        // A call with an attempt id may repeat one that was made in time.
        let challenge = try app.verifyChallenge(challengeToken, now: now, mayBeExpired: proof?.attempt != nil)
        guard challenge.grantMode == ChallengeClaims.sessionStart else { throw Refusal.invalidChallenge }
        guard challenge.currentStep == ChallengeClaims.completed else { throw Refusal.stepNotCompleted }
        do throws(Refusal) { try checkVerifier(codeVerifier, against: challenge.codeChallenge) } catch {
            throw error == .verifierMismatch
                ? try await reported(.wrongVerifier, as: error, challenge, app, now) : error
        }
        let use = try admitted(proof, app: app, proofIsOptional: proofIsOptional, now: now)
        let policy = app.settings.sessions
        let isExpired = challenge.exp <= now.seconds
        let session = Session(
            id: Session.id(startedBy: challenge), appID: app.settings.id, userID: challenge.sub,
            keyThumbprint: use?.thumbprint, attempts: RotationAttempts(last: use?.attempt),
            demandsNonce: use?.hasNonce ?? false, method: challenge.method,
            scopes: challenge.grantedScopes?.filter { !ReservedScope.isReserved($0) } ?? [], device: device,
            createdAt: now, idleExpiresAt: now + policy.idleLifetime, absoluteExpiresAt: now + policy.absoluteLifetime)
        let grants = passingGrants(challenge, session: session, now: now)
        let outcome: StartSessionOutcome =
            isExpired
            ? .challengeReused
            : try await store.perform(
                StartSession(
                    session: session, grants: grants, challengeID: challenge.jti,
                    verification: challenge.answeredVerification, challengeEpoch: challenge.loginEpoch,
                    endsHolds: challenge.endsHolds ?? false,
                    challengeExpiresAt: Timestamp(seconds: challenge.exp),
                    method: challenge.method, proof: use,
                    previousSessionID: previousToken.flatMap {
                        RefreshToken($0, app: app.settings.id, keys: keys)?.sessionID
                    },
                    maximumSessions: policy.maximumSessions, now: now,
                    events: EventFactory(appID: app.settings.id, environment: environment),
                    newDevice: challenge.newDeviceNotice(from: app.settings, environment: environment)))
        switch outcome {
        case .started(let user): return try issue(challenge, session, user, grants, app, client, now)
        case .replayedProof: throw Refusal.replayedProof
        case .challengeReused:
            switch try await repetition(of: session, by: use, now: now) {
            case .repeated(let session, let user, let grants):
                return try issue(challenge, session, user, grants, app, client, now)
            case .replayedProof: throw Refusal.replayedProof
            case .challengeReused where isExpired: throw Refusal.expiredChallenge
            case .challengeReused: throw try await reported(.reusedChallenge, as: .challengeReused, challenge, app, now)
            }
        case .challengeVoid: throw try await reported(.voidChallenge, as: .invalidChallenge, challenge, app, now)
        case .unknownUser: throw try await reported(.unknownUser, as: .unauthorized, challenge, app, now)
        case .inactive(let status):
            throw try await reported(.inactiveUser, as: status.refusal ?? .unauthorized, challenge, app, now)
        }
    }

    /// Whether this call repeats the one that started the session. Without an attempt id nothing tells them apart.
    private func repetition(
        of session: Session, by proof: ProofUse?, now: Timestamp
    ) async throws -> RepeatSessionStartOutcome {
        guard let proof, proof.attempt != nil else { return .challengeReused }
        return try await store.perform(RepeatSessionStart(of: session, proof: proof, now: now))
    }

    /// The tokens of a session that has just started.
    private func issue(
        _ challenge: ChallengeClaims, _ session: Session, _ user: User, _ grants: [Grant], _ app: AppRuntime,
        _ client: ClientFacts, _ now: Timestamp
    ) throws -> IssuedTokens {
        var tokens = try issuer.issue(app: app, session: session, user: user, grants: grants, client: client, now: now)
        tokens.isNewUser = challenge.isNewUser ?? false
        if challenge.makesDeviceKnown {
            tokens.knownDevice = KnownDevice(
                userID: user.id, id: environment.newID("dev"), issuedAt: now, loginEpoch: user.loginEpoch
            ).token(app: app.settings.id, keys: keys)
        }
        return tokens
    }

    /// Checks before a code is spent what does not depend on the login: that a session could start with this proof.
    ///
    /// - Throws: `Refusal.missingProof`, `Refusal.nonceRequired`.
    package func checkStart(app: AppRuntime, proof: CheckedProof?, proofIsOptional: Bool) throws(Refusal) {
        _ = try admitted(proof, app: app, proofIsOptional: proofIsOptional, now: environment.now())
    }

    private func admitted(
        _ proof: CheckedProof?, app: AppRuntime, proofIsOptional: Bool, now: Timestamp
    ) throws(Refusal) -> ProofUse? {
        let use = proof.map { app.use(of: $0, now: now) }
        guard use != nil || proofIsOptional, app.settings.sessions.admits(keyThumbprint: use?.thumbprint) else {
            throw .missingProof
        }
        if let use, !use.isFresh || (app.settings.sessions.noncePolicy == .always && !use.hasNonce) {
            throw .nonceRequired(app.nonces.current(at: now.seconds))
        }
        return use
    }

    /// Reports why a proven login starts no session, and returns what the caller learns.
    private func reported(
        _ reason: LoginFailure, as refusal: Refusal, _ challenge: ChallengeClaims, _ app: AppRuntime, _ now: Timestamp
    ) async throws -> Refusal {
        let events = EventFactory(appID: app.settings.id, environment: environment)
        try await store.perform(ReportFailedLogin(reason, challenge: challenge, now: now, events: events))
        return refusal
    }

    /// Grants for the reserved scopes of a login. They last minutes, so that a session of months cannot change a
    /// password.
    private func passingGrants(_ challenge: ChallengeClaims, session: Session, now: Timestamp) -> [Grant] {
        (challenge.grantedScopes ?? []).filter(ReservedScope.isReserved).map { scope in
            Grant(
                id: environment.newID("grt"), appID: session.appID, userID: session.userID, sessionID: session.id,
                scope: scope, mode: .sessionBound, generation: 0, expiresAt: now + ReservedScope.lifetimeFromLogin)
        }
    }

    private func checkVerifier(_ verifier: String?, against challenge: String?) throws(Refusal) {
        guard let challenge else { return }
        guard let verifier, PKCE.isWellFormed(verifier: verifier) else {
            throw .invalidField("code_verifier", "must be the PKCE verifier of this login, 43 to 128 characters")
        }
        guard PKCE.verify(verifier: verifier, against: challenge) else { throw .verifierMismatch }
    }

    /// Spends a refresh token and returns its successor. Returns it again if the first answer was lost.
    ///
    /// - Parameter stepUpToken: A completed challenge whose scope the new access token carries. If it is invalid, the
    ///   call is rejected and the session stays as it is.
    package func refresh(
        app: AppRuntime, token: String?, stepUpToken: String?, proof: CheckedProof?, device: Device,
        client: ClientFacts
    ) async throws -> IssuedTokens {
        let now = environment.now()
        let outcome = try await store.perform(
            rotation(app: app, token: token, stepUpToken: stepUpToken, proof: proof, device: device, now: now))
        return try tokens(of: outcome, app: app, client: client, now: now)
    }

    /// What `refresh` does before and after the store is in functions of its own: an asynchronous function keeps its variables
    /// on the heap, and theirs would be among them.
    @inline(never) private func rotation(
        app: AppRuntime, token: String?, stepUpToken: String?, proof: CheckedProof?, device: Device, now: Timestamp
    ) throws -> RotateRefreshToken {
        guard let token, let token = RefreshToken(token, app: app.settings.id, keys: keys) else {
            environment.observer.observe(.refresh(.invalidToken, app.settings.id))
            throw Refusal.unauthorized
        }
        let redemption = try stepUpToken.map { token in
            RedeemChallenge(
                reference: try app.stepUpReference(token, proof: nil, now: now), grantID: environment.newID("grt"),
                now: now)
        }
        return RotateRefreshToken(
            appID: app.settings.id, sessionID: token.sessionID, generation: token.generation,
            proof: proof.map { app.use(of: $0, now: now) }, redemption: redemption, device: device,
            policy: app.settings.sessions, now: now,
            events: EventFactory(appID: app.settings.id, environment: environment),
            notices: NoticeFactory(app.settings, environment: environment))
    }

    @inline(never) private func tokens(
        of outcome: RotationOutcome, app: AppRuntime, client: ClientFacts, now: Timestamp
    ) throws -> IssuedTokens {
        environment.observer.observe(.refresh(RefreshResult(outcome), app.settings.id))
        if case .recovered = outcome, let notice = recoveries.count() {
            environment.observer.observe(.notice(notice))
        }
        switch outcome {
        case .rotated(let session, let user, let grants), .repeated(let session, let user, let grants),
            .recovered(let session, let user, let grants):
            return try issuer.issue(app: app, session: session, user: user, grants: grants, client: client, now: now)
        case .nonceDemanded: throw Refusal.nonceRequired(app.nonces.current(at: now.seconds))
        case .revoked: throw Refusal.unauthorized
        case .refused(let refusal): throw refusal
        }
    }

    /// Ends the session of a refresh token, which may be an old one. Ending an ended session is no error.
    ///
    /// Time and nonce of the proof are not checked: a second call changes nothing.
    package func revoke(app: AppRuntime, token: String?, proof: CheckedProof?) async throws {
        guard let token, let token = RefreshToken(token, app: app.settings.id, keys: keys) else {
            throw Refusal.unauthorized
        }
        guard let session = try await store.session(token.sessionID, app: app.settings.id) else { return }
        if let thumbprint = session.keyThumbprint {
            guard let proof else { throw Refusal.missingProof }
            guard proof.thumbprint == thumbprint else { throw Refusal.proofKeyMismatch }
        }
        let now = environment.now()
        _ = try await store.perform(
            RevokeSessions(
                .one(session.id), reason: .logout,
                in: UserChange(
                    of: session.userID, app: app.settings.id, now: now,
                    events: EventFactory(appID: app.settings.id, environment: environment))))
    }
}

/// Counts sessions that were recovered since this process started, so that one restored backup does not fill the log.
final class RecoveryCounter: Sendable {
    private struct State {
        var count = 0
        var reported = 0
    }

    private let state = Mutex(State())

    /// Counts one recovery.
    ///
    /// - Returns: A notice for the first recovery.
    func count() -> ServiceNotice? {
        state.withLock { state in
            state.count += 1
            guard state.count == 1 else { return nil }
            state.reported = 1
            return .sessionsRecovered(count: 1)
        }
    }

    /// A notice if sessions were recovered since the last one. Called once a minute.
    func due() -> ServiceNotice? {
        state.withLock { state in
            guard state.count > state.reported else { return nil }
            state.reported = state.count
            return .sessionsRecovered(count: state.count)
        }
    }
}

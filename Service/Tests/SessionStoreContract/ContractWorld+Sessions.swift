internal import SessionDomain
internal import SessionTokens
internal import Testing

extension ContractWorld {
    /// A proof by a key. The same name is the same proof. The nonce window began `window` seconds after `now`.
    func proof(
        _ name: String, key: String = "key-1", attempt: String? = nil, hasNonce: Bool = false, isFresh: Bool = true,
        lasts seconds: Int = 180, made offset: Int = 1, window: Int = -100
    ) -> ProofUse {
        ProofUse(
            thumbprint: key, replayKey: Self.replayKey("\(key)/\(name)"), rememberUntil: now + seconds,
            nonce: hasNonce ? .current : nil, windowStart: now + window, isFresh: isFresh, issuedAt: now + offset,
            attempt: attempt)
    }

    /// A replay key has this form.
    static func replayKey(_ name: String) -> String { DPoPProof.accessTokenHash(name) }

    func newSession(
        of user: User, key: String? = "key-1", at time: Timestamp? = nil, idle: Int = 30 * 86_400,
        scopes: [String] = [], device: Device = Device()
    ) -> Session {
        let time = time ?? now
        return Session(
            id: environment.newID("ses"), appID: user.appID, userID: user.id, keyThumbprint: key, scopes: scopes,
            device: device, createdAt: time, idleExpiresAt: time + idle, absoluteExpiresAt: time + 365 * 86_400)
    }

    func start(
        _ session: Session, grants: [Grant] = [], challenge: String? = nil, verification: String? = nil,
        proof: ProofUse? = nil, replacing previous: String? = nil, epoch: Int64 = 0, endsHolds: Bool = false,
        maximum: Int = 100
    ) -> StartSession {
        StartSession(
            session: session, grants: grants, challengeID: challenge ?? "challenge of \(session.id)",
            verification: verification, challengeEpoch: epoch, endsHolds: endsHolds,
            challengeExpiresAt: session.createdAt + 600, proof: proof,
            previousSessionID: previous, maximumSessions: maximum, now: session.createdAt,
            events: EventFactory(appID: session.appID, environment: environment))
    }

    /// A session that is in the store.
    func signIn(
        _ user: User, key: String? = "key-1", device: Device = Device(), at time: Timestamp? = nil,
        idle: Int = 30 * 86_400
    ) async throws -> Session {
        let session = newSession(of: user, key: key, at: time, idle: idle, device: device)
        try #require(try await store.perform(start(session, epoch: user.loginEpoch)) == .started(user))
        return session
    }

    func rotation(
        of session: Session, generation: Int64 = 0, proof: ProofUse?, redeeming reference: ChallengeReference? = nil,
        after seconds: Int = 1, device: Device = Device(), policy: SessionPolicy = SessionPolicy()
    ) -> RotateRefreshToken {
        RotateRefreshToken(
            appID: session.appID, sessionID: session.id, generation: generation, proof: proof,
            redemption: reference.map {
                RedeemChallenge(reference: $0, grantID: environment.newID("grt"), now: now + seconds)
            }, device: device, policy: policy, now: now + seconds,
            events: EventFactory(appID: session.appID, environment: environment(at: now + seconds)))
    }

    func rotate(
        _ session: Session, generation: Int64 = 0, proof: ProofUse?, redeeming reference: ChallengeReference? = nil,
        after seconds: Int = 1, policy: SessionPolicy = SessionPolicy()
    ) async throws -> RotationOutcome {
        try await store.perform(
            rotation(
                of: session, generation: generation, proof: proof, redeeming: reference, after: seconds, policy: policy)
        )
    }

    func isLive(_ session: Session, after seconds: Int = 2) async throws -> Bool {
        try await store.session(session.id, app: session.appID)?.isLive(at: now + seconds) ?? false
    }
}

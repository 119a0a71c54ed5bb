internal import SessionTokens

/// What happens to the session of a presented refresh token. Every case is committed, rejections included.
package enum RotationDecision: Sendable, Equatable {
    /// The token is current: store this session, whose generation is one higher.
    case rotate(Session)
    /// The token is ahead of the stored session, because the database is older than the device's last refresh: store this
    /// session, whose generation is one higher than the token's, and append the event.
    case recover(Session, Event)
    /// The token is the previous one and its answer was lost: store this session, same generation, and answer again.
    case repeatSuccessor(Session)
    /// Store this session, which demands a nonce from now on, and ask for one.
    case demandNonce(Session)
    /// Store this session, which is revoked, and append the events.
    case revoke(Session, events: [Event], RevocationReason)
    case refuse(Refusal)
}

extension RotateRefreshToken {
    /// Decides what happens to the session, as a table over session, user and proof.
    ///
    /// - Parameter isReplay: Whether the proof was used before.
    package func decide(session: Session, user: User, isReplay: Bool) -> RotationDecision {
        if let refusal = user.status.refusal { return decideInactive(session, refusal, isReplay: isReplay) }
        guard isLive(session) else { return .refuse(.unauthorized) }
        guard let thumbprint = session.keyThumbprint else { return decideUnbound(session) }
        let isSpent = generation < session.generation
        // A spent token without its key is stolen. An unspent token is only rejected.
        guard let proof else { return isSpent ? reused(session, .missingProof) : .refuse(.missingProof) }
        guard proof.thumbprint == thumbprint else {
            return isSpent ? reused(session, .otherKey) : .refuse(.proofKeyMismatch)
        }
        if needsNonce(proof, session) { return demandNonce(session) }
        // An HTTP client or a proxy may send one request twice. A replay proves nothing about a second holder.
        if isReplay || proof.replayKey == session.lastProof { return .refuse(.replayedProof) }
        if isSpent { return decideSpent(session, proof) }
        return generation == session.generation ? rotate(session) : recover(session)
    }

    /// Whether the session is of this app and has not ended.
    func isLive(_ session: Session) -> Bool { session.appID == appID && session.isLive(at: now) }

    /// Decides about the session of a user that may not sign in. Its device learns why; its key and a token that it has not left
    /// behind prove that it is the device.
    private func decideInactive(_ session: Session, _ refusal: Refusal, isReplay: Bool) -> RotationDecision {
        guard let proof, provesDevice(session) else {
            return isLive(session) ? revoke(session, reason: .userInactive) : .refuse(.unauthorized)
        }
        if needsNonce(proof, session) { return demandNonce(session) }
        if isReplay { return .refuse(.replayedProof) }
        return isLive(session) ? revoke(session, reason: .userInactive) : .refuse(refusal)
    }

    /// Whether the request is from the device of the session, which may have ended before its time.
    func provesDevice(_ session: Session) -> Bool {
        session.appID == appID && session.expiresAt > now && generation >= session.generation - 1
            && session.keyThumbprint != nil && proof?.thumbprint == session.keyThumbprint
    }

    private func decideUnbound(_ session: Session) -> RotationDecision {
        // Without a key, a token that is ahead of the row is not recovered: the MAC is the only evidence.
        guard generation <= session.generation else { return .refuse(.unauthorized) }
        let isCurrent = generation == session.generation
        if !isCurrent {
            guard isPrevious(session) else { return reused(session, .olderToken) }
            guard now < session.rotatedAt + policy.unboundGrace else { return reused(session, .graceExpired) }
        }
        // The session continues when the app accepts unbound tokens again (RFC 9449 §5.2).
        guard policy.admits(keyThumbprint: nil) else { return .refuse(.missingProof) }
        return isCurrent ? rotate(session) : .repeatSuccessor(seen(session))
    }

    /// Decides about a spent token with a fresh proof by the session's key.
    private func decideSpent(_ session: Session, _ proof: ProofUse) -> RotationDecision {
        if isPrevious(session), isRepeat(session, proof) { return .repeatSuccessor(seen(session)) }
        // The device itself sent this request earlier, and has its answer or will repeat a newer request.
        if let attempt = proof.attempt, session.attempts.contains(attempt) { return .refuse(.refreshTokenSpent) }
        // A request that was delivered late has no sender who asks again. Another holder does, and a nonce proves when.
        if mayBeLate(session, proof) { return demandNonce(session) }
        guard isPrevious(session) else { return reused(session, .olderToken) }
        return reused(session, session.attempts.last == nil && proof.attempt == nil ? .graceExpired : .otherAttempt)
    }

    /// Whether the previous token comes from the client that spent it.
    private func isRepeat(_ session: Session, _ proof: ProofUse) -> Bool {
        if session.attempts.last != nil || proof.attempt != nil { return proof.attempt == session.attempts.last }
        // Neither has an attempt id. A client with ids does not repeat the rotation of one without. Without a limit of the
        // app, no clock decides.
        return policy.boundGrace.map { now < session.rotatedAt + $0 } ?? true
    }

    /// Whether the device itself may have made this request, before it had the successor of the token.
    ///
    /// The device has one attempt id for each token, so the previous token has no other id. An older token was left behind
    /// when its successor was spent. If that was before the nonce's window, the proof is of another holder.
    private func mayBeLate(_ session: Session, _ proof: ProofUse) -> Bool {
        if isPrevious(session) { return !proof.hasNonce && proof.issuedAt < session.rotatedAt }
        return proof.nonce != .current || session.generation(atStartOf: proof.windowStart) < generation + 2
    }

    private func isPrevious(_ session: Session) -> Bool { generation == session.generation - 1 }

    private func needsNonce(_ proof: ProofUse, _ session: Session) -> Bool {
        !proof.isFresh || ((session.demandsNonce || policy.noncePolicy == .always) && !proof.hasNonce)
    }

    private func rotate(_ session: Session) -> RotationDecision {
        successor(of: session).map { .rotate($0) } ?? .refuse(.unauthorized)
    }

    /// Only this service issues tokens, and the key is right. So the database was set back, for example to a backup.
    private func recover(_ session: Session) -> RotationDecision {
        successor(of: session).map {
            .recover($0, events.sessionRecovered(session, missing: generation - session.generation))
        } ?? .refuse(.unauthorized)
    }

    /// The session one generation after the presented token. `nil` after the last generation that there is.
    private func successor(of session: Session) -> Session? {
        guard generation < .max else { return nil }
        var next = seen(session)
        next.generation = generation + 1
        next.rotatedAt = now
        if let proof { next.settledGeneration = session.generation(atStartOf: proof.windowStart) }
        // Without a pinned key, a proof proves nothing.
        let proof = session.keyThumbprint == nil ? nil : proof
        next.lastProof = proof?.replayKey
        next.attempts = session.attempts.adding(proof?.attempt)
        return next
    }

    private func seen(_ session: Session) -> Session {
        var next = session
        // With a clock that is behind, the session would expire when the clock is corrected.
        next.lastSeenAt = max(now, session.lastSeenAt)
        next.idleExpiresAt = next.lastSeenAt + policy.idleLifetime
        next.device = device
        return next
    }

    private func demandNonce(_ session: Session) -> RotationDecision {
        var next = session
        next.demandsNonce = true
        return .demandNonce(next)
    }

    private func reused(_ session: Session, _ reuse: RefreshTokenReuse) -> RotationDecision {
        revoke(session, reason: .refreshTokenReused, also: [events.refreshTokenReused(session, reason: reuse)])
    }

    private func revoke(_ session: Session, reason: RevocationReason, also more: [Event] = []) -> RotationDecision {
        var next = session
        next.revokedAt = now
        return .revoke(next, events: more + [events.sessionRevoked(session, reason: reason)], reason)
    }
}

/// Spends a refresh token. The hottest write of the service; `docs/stores.md` lists its statements.
///
/// Every outcome commits its changes, rejections included: a fresh proof by the session's key is spent even if the call is
/// rejected. Other proofs are not remembered, so a stranger cannot fill the replay memory.
package struct RotateRefreshToken: Intent {
    package let appID: AppID
    package let sessionID: String
    /// The generation of the presented token, whose MAC is valid.
    package let generation: Int64
    package let proof: ProofUse?
    /// A completed step-up whose grant the new token carries.
    package let redemption: RedeemChallenge?
    package let device: Device
    package let policy: SessionPolicy
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(
        appID: AppID, sessionID: String, generation: Int64, proof: ProofUse?, redemption: RedeemChallenge? = nil,
        device: Device, policy: SessionPolicy, now: Timestamp, events: EventFactory, notices: NoticeFactory? = nil
    ) {
        self.appID = appID
        self.sessionID = sessionID
        self.generation = generation
        self.proof = proof
        self.redemption = redemption
        self.device = device
        self.policy = policy
        self.now = now
        self.events = events
        self.notices = notices
    }

    package struct Facts: Sendable {
        let session: Session?
        let user: User?
        let grants: [Grant]
        let challenge: StepUpChallenge?
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .session(sessionID), .userOfSession(isShared: true), .grants(at: now),
            .challenge(redemption?.reference.id), .failures, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<RotationOutcome> {
        guard let session = facts.session, let user = facts.user else { return Decision(.refused(.unauthorized)) }
        let isReplay = proof.map { facts.failures.isTaken(.proof($0.replayKey)) } ?? false
        var changes: [Change] = []
        // A stale proof is rejected anyway. It is not remembered, so that every memory has an end.
        if let proof, proof.isFresh, !isReplay, isLive(session), proof.thumbprint == session.keyThumbprint {
            changes.append(.reserveProof(proof, app: appID, now: now))
        }
        switch decide(session: session, user: user, isReplay: isReplay) {
        case .rotate(let next): return accept(session, next, user, facts, changes) { .rotated($0, $1, $2) }
        case .recover(let next, let event):
            return accept(session, next, user, facts, changes, also: [.append(event)]) { .recovered($0, $1, $2) }
        case .repeatSuccessor(let next):
            return accept(session, next, user, facts, changes, isRepeat: true) { .repeated($0, $1, $2) }
        case .demandNonce(let next):
            return Decision(.nonceDemanded, changes + [.replaceSession(session, with: next)])
        case .revoke(let next, let events, let reason):
            // A thief may hold what other sessions earned or began. All of it ends.
            changes += [.replaceSession(session, with: next), .deleteStepUps(of: user)]
            let refusal = provesDevice(session) ? user.status.refusal : nil
            return Decision(
                refusal.map { .refused($0) } ?? .revoked(next, reason),
                changes + events.map { .append($0) } + notice(session, user, reason, facts.failures))
        case .refuse(let refusal): return Decision(.refused(refusal), changes)
        }
    }

    /// Tells the user about a reused token. The session ends without the user's doing, and its copy had another holder.
    private func notice(_ session: Session, _ user: User, _ reason: RevocationReason, _ failures: GuardFailures)
        -> [Change]
    {
        guard reason == .refreshTokenReused else { return [] }
        return notices?.changes(.sessionEnded(session.device), to: user, failures, at: now) ?? []
    }

    /// The token is accepted: redeems the challenge, stores the session, deletes grants that are spent.
    private func accept(
        _ session: Session, _ next: Session, _ user: User, _ facts: Facts, _ before: [Change],
        also more: [Change] = [], isRepeat: Bool = false, outcome: (Session, User, [Grant]) -> RotationOutcome
    ) -> Decision<RotationOutcome> {
        var (changes, grants) = (before, facts.grants)
        let redeemed = redemption?.decide(
            challenge: facts.challenge, session: next, accessTokenLifetime: policy.accessTokenLifetime,
            isRepeat: isRepeat)
        switch redeemed {
        case .refuse(let refusal): return Decision(.refused(refusal), before)
        case .grant(let grant, let challenge, let redeemed):
            changes += [
                .insertGrant(grant), .replaceChallenge(challenge, with: redeemed),
                .append(events.stepUpGranted(grant)),
            ]
            grants = (grants + [grant]).sorted { $0.id < $1.id }
        case .redeemedBefore, nil: break
        }
        changes.append(.replaceSession(session, with: next))
        changes += more
        changes += grants.filter { $0.isSpent(for: next, at: now) }.map { .deleteGrant($0) }
        let live = grants.filter { $0.covers(next, at: now) }
        return Decision(outcome(next, user, live), changes)
    }
}

/// What a presented refresh token results in. The cases are references, because the way to the response copies them ten times.
package indirect enum RotationOutcome: Sendable, Equatable {
    case rotated(Session, User, [Grant])
    case repeated(Session, User, [Grant])
    /// The stored session was behind the device's token and continues with it.
    case recovered(Session, User, [Grant])
    case nonceDemanded
    case revoked(Session, RevocationReason)
    case refused(Refusal)
}

extension RefreshResult {
    package init(_ outcome: RotationOutcome) {
        self =
            switch outcome {
            case .rotated: .rotated
            case .repeated: .repeated
            case .recovered: .recovered
            case .nonceDemanded: .nonceDemanded
            case .revoked(_, .refreshTokenReused): .reused
            case .revoked: .ended
            case .refused: .refused
            }
    }
}

internal import SessionTokens

/// Spends a refresh token. The hottest write of the service; `docs/stores.md` lists its statements.
///
/// Every outcome commits its changes, rejections included: a fresh proof is spent even if the call is rejected.
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

    package init(
        appID: AppID, sessionID: String, generation: Int64, proof: ProofUse?, redemption: RedeemChallenge? = nil,
        device: Device, policy: SessionPolicy, now: Timestamp, events: EventFactory
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
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.session = .id(sessionID)
            $0.user = .ofSession
            $0.grants = true
            $0.challenge = redemption?.reference.id
        }
    }

    package func decide(_ facts: Facts) -> Decision<RotationOutcome> {
        guard let session = facts.session, let user = facts.user else { return Decision(.refused(.unauthorized)) }
        let isReplay = proof.map { facts.isTaken(.proof($0.replayKey)) } ?? false
        var changes: [Change] = []
        // A stale proof is rejected anyway. It is not remembered, so that every memory has an end.
        if let proof, proof.isFresh, !isReplay { changes.append(.reserveProof(proof, app: appID, now: now)) }
        switch decide(session: session, user: user, isReplay: isReplay) {
        case .rotate(let next): return accept(session, next, user, facts, changes, isRepeat: false)
        case .repeatSuccessor(let next): return accept(session, next, user, facts, changes, isRepeat: true)
        case .demandNonce(let next):
            return Decision(.nonceDemanded, changes + [.replaceSession(session, with: next)])
        case .revoke(let next, let events, let reason):
            changes.append(.replaceSession(session, with: next))
            return Decision(.revoked(next, reason), changes + events.map { .append($0) })
        case .refuse(let refusal): return Decision(.refused(refusal), changes)
        }
    }

    /// The token is accepted: redeems the challenge, stores the session, deletes grants that are spent.
    private func accept(
        _ session: Session, _ next: Session, _ user: User, _ facts: Facts, _ before: [Change], isRepeat: Bool
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
        changes += grants.filter { $0.isSpent(for: next, at: now) }.map { .deleteGrant($0) }
        let live = grants.filter { $0.covers(next, at: now) }
        return Decision(isRepeat ? .repeated(next, user, live) : .rotated(next, user, live), changes)
    }

    /// Decides what happens to the session, as a table over session, user and proof.
    ///
    /// - Parameter isReplay: Whether the proof was used before.
    package func decide(session: Session, user: User, isReplay: Bool) -> RotationDecision {
        guard session.appID == appID, session.isLive(at: now), generation <= session.generation else {
            return .refuse(.unauthorized)
        }
        guard user.status == .active else { return revoke(session, reason: .userInactive) }
        let isCurrent = generation == session.generation
        let isReplay = isReplay || (proof != nil && proof?.replayKey == session.lastProof)

        if let thumbprint = session.keyThumbprint {
            // An old token without its key is stolen. The current token is only rejected.
            guard let proof else { return isCurrent ? .refuse(.missingProof) : reused(session) }
            guard proof.thumbprint == thumbprint else {
                return isCurrent ? .refuse(.proofKeyMismatch) : reused(session)
            }
            if needsNonce(proof, session) { return demandNonce(session) }
            if isReplay { return isCurrent ? .refuse(.replayedProof) : reused(session) }
        }
        guard isCurrent || (generation == session.generation - 1 && isWithinGrace(session)) else {
            return reused(session)
        }
        // The session continues when the app accepts unbound tokens again (RFC 9449 §5.2).
        guard policy.admits(keyThumbprint: session.keyThumbprint) else { return .refuse(.missingProof) }
        return isCurrent ? rotate(session) : .repeatSuccessor(seen(session))
    }

    private func needsNonce(_ proof: ProofUse, _ session: Session) -> Bool {
        !proof.isFresh || ((session.demandsNonce || policy.noncePolicy == .always) && !proof.hasNonce)
    }

    private func isWithinGrace(_ session: Session) -> Bool {
        guard session.keyThumbprint != nil else { return now < session.rotatedAt + policy.unboundGrace }
        guard let grace = policy.boundGrace else { return true }
        return now < session.rotatedAt + grace
    }

    private func rotate(_ session: Session) -> RotationDecision {
        var next = seen(session)
        next.generation += 1
        next.rotatedAt = now
        next.lastProof = proof?.replayKey
        return .rotate(next)
    }

    private func seen(_ session: Session) -> Session {
        var next = session
        next.lastSeenAt = now
        next.idleExpiresAt = now + policy.idleLifetime
        next.device = device
        return next
    }

    private func demandNonce(_ session: Session) -> RotationDecision {
        var next = session
        next.demandsNonce = true
        return .demandNonce(next)
    }

    private func reused(_ session: Session) -> RotationDecision {
        let event = events.make(
            .refreshTokenReused, ["user_id": .string(session.userID), "session_id": .string(session.id)])
        return revoke(session, reason: .refreshTokenReused, also: [event])
    }

    private func revoke(_ session: Session, reason: RevocationReason, also more: [Event] = []) -> RotationDecision {
        var next = session
        next.revokedAt = now
        return .revoke(next, events: more + [events.sessionRevoked(session, reason: reason)], reason)
    }
}

/// What happens to the session of a presented refresh token. Every case is committed, rejections included.
package enum RotationDecision: Sendable, Equatable {
    /// The token is current: store this session, whose generation is one higher.
    case rotate(Session)
    /// The token is the previous one and its answer was lost: store this session, same generation, and answer again.
    case repeatSuccessor(Session)
    /// Store this session, which demands a nonce from now on, and ask for one.
    case demandNonce(Session)
    /// Store this session, which is revoked, and append the events.
    case revoke(Session, events: [Event], RevocationReason)
    case refuse(Refusal)
}

package enum RotationOutcome: Sendable, Equatable {
    case rotated(Session, User, [Grant])
    case repeated(Session, User, [Grant])
    case nonceDemanded
    case revoked(Session, RevocationReason)
    case refused(Refusal)
}

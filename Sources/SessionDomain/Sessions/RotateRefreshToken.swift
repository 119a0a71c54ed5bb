internal import SessionTokens

/// The intent to spend a refresh token. A store performs it in one transaction:
///
/// 1. read the session and its user; an unknown session is `.refused(.unauthorized)`;
/// 2. if there is a fresh proof, reserve its replay key (insert; a second insert is a replay);
/// 3. `decide`; when the token is accepted and there is a `redemption`, read its challenge, ask it too: store
///    the grant and the redeemed challenge with the event `stepUpGranted`, or refuse all;
/// 4. apply the decision: replace the session by the one given (guarded by its generation) and append the events;
/// 5. read the user's grants for the new token, and delete those that are spent.
package struct RotateRefreshToken: Sendable {
    package let appID: AppID
    package let sessionID: String
    /// The generation of the token that was presented; its MAC was checked.
    package let generation: Int64
    package let proof: ProofUse?
    /// A completed step-up whose grant the new token is to carry.
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

    /// What to do, as a table over the session, the user and the proof; no clock, no store.
    ///
    /// - Parameter isReplay: Whether the store had seen the proof before.
    package func decide(session: Session, user: User, isReplay: Bool) -> RotationDecision {
        guard session.appID == appID, session.isLive(at: now), generation <= session.generation else {
            return .refuse(.unauthorized)
        }
        guard user.status == .active else { return revoke(session, reason: .userInactive) }
        let isCurrent = generation == session.generation
        let isReplay = isReplay || (proof != nil && proof?.replayKey == session.lastProof)

        if let thumbprint = session.keyThumbprint {
            // An old token that comes without its key is a stolen one; the current one is merely not accepted.
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
        // It goes on as soon as the app lets tokens go unbound again (RFC 9449 §5.2).
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

/// What a store does about a presented refresh token. Every case is committed, refusals included.
package enum RotationDecision: Sendable, Equatable {
    /// The token was current: store this session, whose generation is one higher.
    case rotate(Session)
    /// The token was the last one and its answer got lost: store this session, same generation, and answer again.
    case repeatSuccessor(Session)
    /// Store this session, which demands a nonce from now on, and ask for one.
    case demandNonce(Session)
    /// Store this session, which is revoked, and append the events.
    case revoke(Session, events: [Event], RevocationReason)
    case refuse(Refusal)
}

/// What came of it.
package enum RotationOutcome: Sendable, Equatable {
    case rotated(Session, User, [Grant])
    case repeated(Session, User, [Grant])
    case nonceDemanded
    case revoked(Session, RevocationReason)
    case refused(Refusal)
}

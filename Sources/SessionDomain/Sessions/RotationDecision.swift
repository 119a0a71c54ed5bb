internal import SessionTokens

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

extension RotateRefreshToken {
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

internal import GRDB
package import SessionDomain

extension SQLiteStore {
    /// The hottest write: three look-ups, one insert and one update.
    package func rotateRefreshToken(_ intent: RotateRefreshToken) async throws -> RotationOutcome {
        try await write { db in
            guard let (session, user) = try db.signedIn(session: intent.sessionID, app: intent.appID) else {
                return .refused(.unauthorized)
            }
            let isReplay = try db.isReplay(intent)
            switch intent.decide(session: session, user: user, isReplay: isReplay) {
            case .rotate(let next):
                if let refusal = try db.redeem(intent, session: next, isRepeat: false) {
                    return .refused(refusal)
                }
                try db.replace(session, by: next)
                return .rotated(next, user, try db.liveGrants(for: next, at: intent.now))
            case .repeatSuccessor(let next):
                if let refusal = try db.redeem(intent, session: next, isRepeat: true) {
                    return .refused(refusal)
                }
                try db.replace(session, by: next)
                return .repeated(next, user, try db.liveGrants(for: next, at: intent.now))
            case .demandNonce(let next):
                try db.replace(session, by: next)
                return .nonceDemanded
            case .revoke(let next, let events, let reason):
                try db.replace(session, by: next)
                try db.append(events)
                return .revoked(next, reason)
            case .refuse(let refusal): return .refused(refusal)
            }
        }
    }
}

extension Database {
    /// Only a fresh proof is remembered: a stale one is refused anyhow, and its memory would have no end to it.
    fileprivate func isReplay(_ intent: RotateRefreshToken) throws -> Bool {
        guard let proof = intent.proof, proof.isFresh else { return false }
        return try !reserve(proof, app: intent.appID, now: intent.now)
    }

    /// Turns a completed challenge into a grant; why not, if it cannot be.
    fileprivate func redeem(
        _ intent: RotateRefreshToken, session: Session, isRepeat: Bool
    ) throws -> Refusal? {
        guard let redemption = intent.redemption else { return nil }
        let challenge = try challenge(redemption.reference.id, app: session.appID)
        switch redemption.decide(
            challenge: challenge, session: session, accessTokenLifetime: intent.policy.accessTokenLifetime,
            isRepeat: isRepeat)
        {
        case .refuse(let refusal): return refusal
        case .redeemedBefore: return nil
        case .grant(let grant, let redeemed):
            try insert(grant)
            try update(redeemed)
            try append([intent.events.stepUpGranted(grant)])
            return nil
        }
    }

    /// What the user's grants give the session now; spent ones are deleted on the way.
    fileprivate func liveGrants(for session: Session, at now: Timestamp) throws -> [Grant] {
        let grants = try grants(of: session.userID, app: session.appID)
        for grant in grants where grant.isSpent(for: session, at: now) { try delete(grant) }
        return grants.filter { $0.covers(session, at: now) }
    }
}

internal import GRDB
package import SessionDomain

extension SQLiteStore {
    /// The hottest write: two look-ups, one insert and one update.
    package func rotateRefreshToken(_ intent: RotateRefreshToken) async throws -> RotationOutcome {
        try await write { db in
            guard let (session, user) = try db.signedIn(session: intent.sessionID, app: intent.appID) else {
                return .refused(.unauthorized)
            }
            let isReplay = try db.isReplay(intent)
            switch intent.decide(session: session, user: user, isReplay: isReplay) {
            case .rotate(let next):
                try db.replace(session, by: next)
                return .rotated(next, user)
            case .repeatSuccessor(let next):
                try db.replace(session, by: next)
                return .repeated(next, user)
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
}

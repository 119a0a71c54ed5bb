internal import Crypto
internal import Foundation

/// Answers a finalized login again: the first answer may be lost.
///
/// It is the same login if the same challenge comes from the same key with the same attempt id. After the first refresh of the
/// session, the device has had the answer.
package struct RepeatSessionStart: Intent {
    /// The session as this call would start it.
    package let session: Session
    package let proof: ProofUse
    package let now: Timestamp

    package init(of session: Session, proof: ProofUse, now: Timestamp) {
        self.session = session
        self.proof = proof
        self.now = now
    }

    package var facts: FactQuery {
        FactQuery(app: session.appID) {
            $0.session = .id(session.id)
            $0.user = .ofSession
            $0.grants = now
            $0.shared = [.user]
        }
    }

    package func decide(_ facts: Facts) -> Decision<RepeatSessionStartOutcome> {
        guard let started = facts.session, let user = facts.user, isRepeat(of: started) else {
            return Decision(.challengeReused)
        }
        if facts.isTaken(.proof(proof.replayKey)) { return Decision(.replayedProof) }
        let grants = facts.grants.filter { $0.covers(started, at: now) }
        return Decision(.repeated(started, user, grants), [.reserveProof(proof, app: session.appID, now: now)])
    }

    private func isRepeat(of started: Session) -> Bool {
        guard let attempt = proof.attempt, attempt == started.attempts.last else { return false }
        return started.isLive(at: now) && started.generation == 0 && started.userID == session.userID
            && started.keyThumbprint == proof.thumbprint
    }
}

package enum RepeatSessionStartOutcome: Sendable, Equatable {
    case repeated(Session, User, [Grant])
    case replayedProof
    case challengeReused
}

extension Session {
    /// The id of the one session that a challenge token starts, so that a repeated login finds it.
    static func id(startedBy challenge: ChallengeClaims) -> String {
        let hash = SHA256.hash(data: Data("session\0\(challenge.aud)\0\(challenge.jti)".utf8))
        return "ses_" + ULID.make(at: Timestamp(seconds: challenge.iat), randomBytes: Array(hash.prefix(10)))
    }
}

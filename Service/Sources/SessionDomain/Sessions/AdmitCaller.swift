/// Admits a request with an access token and a proof: reads the session and its user and remembers the proof, in one
/// transaction (RFC 9449 §11.1). To read first and write later took one change of the thread more.
package struct AdmitCaller: Intent {
    package enum Outcome: Sendable, Equatable {
        case admitted(Session, User)
        /// The client must send a proof with a nonce (RFC 9449 §8).
        case nonceRequired
        case refused(Refusal)
    }

    package let appID: AppID
    /// The session and the user that the access token names.
    package let sessionID: String
    package let userID: String
    package let proof: ProofUse
    /// Whether the app requires a nonce in each proof.
    package let requiresNonce: Bool
    package let now: Timestamp

    package init(
        app: AppID, session: String, user: String, proof: ProofUse, requiresNonce: Bool = false, now: Timestamp
    ) {
        appID = app
        sessionID = session
        userID = user
        self.proof = proof
        self.requiresNonce = requiresNonce
        self.now = now
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.session = .id(sessionID)
            $0.user = .ofSession
            $0.shared = [.user]
        }
    }

    package func decide(_ facts: Facts) -> Decision<Outcome> {
        guard let session = facts.session, let user = facts.user, session.isLive(at: now), session.userID == userID,
            user.status == .active
        else { return Decision(.refused(.unauthorized)) }
        guard session.keyThumbprint == nil || proof.thumbprint == session.keyThumbprint else {
            return Decision(.refused(.proofKeyMismatch))
        }
        guard proof.isFresh, proof.hasNonce || !(session.demandsNonce || requiresNonce) else {
            return Decision(.nonceRequired, demand(of: session))
        }
        if facts.isTaken(.proof(proof.replayKey)) { return Decision(.refused(.replayedProof)) }
        return Decision(.admitted(session, user), [.reserveProof(proof, app: appID, now: now)])
    }

    /// Remembers that the client was given a nonce, and must use one from now on (RFC 9449 §11.3).
    private func demand(of session: Session) -> [Change] {
        guard !session.demandsNonce else { return [] }
        var next = session
        next.demandsNonce = true
        return [.replaceSession(session, with: next)]
    }
}

internal import SessionTokens

/// A step-up token whose signature was checked, on its way into a store.
package struct ChallengeReference: Sendable, Equatable {
    package let id: String
    /// `jti`.
    package let tokenID: String
    package let sessionID: String
    package let userID: String
    package let expiresAt: Timestamp
    /// The key that proved the call (RFC 9449); `nil` when there was no proof.
    package let proofThumbprint: String?
    /// The session whose refresh token came along: what a session without a key has instead of a proof.
    package let heldSessionID: String?

    package init(
        id: String, tokenID: String, sessionID: String, userID: String, expiresAt: Timestamp, proofThumbprint: String?,
        heldSessionID: String? = nil
    ) {
        self.id = id
        self.tokenID = tokenID
        self.sessionID = sessionID
        self.userID = userID
        self.expiresAt = expiresAt
        self.proofThumbprint = proofThumbprint
        self.heldSessionID = heldSessionID
    }

    /// Why a step of this challenge may not be done now; `nil` when it may.
    ///
    /// Whoever holds the token must hold the session's key too, or its refresh token if it has no key: an access token
    /// that leaked does no step.
    package func refusal(challenge: StepUpChallenge?, session: Session?, user: User?, now: Timestamp) -> Refusal? {
        guard let challenge, let session, let user, session.isLive(at: now), user.status == .active,
            challenge.sessionID == session.id, challenge.userID == user.id, sessionID == session.id, userID == user.id
        else { return .invalidChallenge }
        if let thumbprint = session.keyThumbprint {
            guard let proofThumbprint else { return .missingProof }
            guard proofThumbprint == thumbprint else { return .proofKeyMismatch }
        } else if heldSessionID != session.id {
            return .unauthorized
        }
        guard challenge.tokenID == tokenID else { return .challengeReused }
        guard challenge.expiresAt > now else { return .expiredChallenge }
        guard challenge.wrongCodes < StepUpChallenge.maximumWrongCodes else { return .invalidChallenge }
        return challenge.completedAt == nil ? nil : .stepNotFound
    }
}

extension AppRuntime {
    /// Reads a step-up token of this app.
    ///
    /// - Parameters:
    ///   - proof: Must repeat the token's `jti`; its time and nonce do not matter, for the token's own do.
    ///   - heldSessionID: The session of the refresh token that came along, if its MAC was right.
    func stepUpReference(
        _ token: String, proof: CheckedProof?, heldSessionID: String? = nil, now: Timestamp
    ) throws(Refusal) -> ChallengeReference {
        let claims = try verifyChallenge(token, now: now)
        guard claims.grantMode != ChallengeClaims.sessionStart, let sessionID = claims.sid else {
            throw .invalidChallenge
        }
        if let proof, proof.id != claims.jti { throw .proofNotOfChallenge }
        return ChallengeReference(
            id: claims.challengeID, tokenID: claims.jti, sessionID: sessionID, userID: claims.sub,
            expiresAt: Timestamp(seconds: claims.exp), proofThumbprint: proof?.thumbprint,
            heldSessionID: heldSessionID)
    }
}

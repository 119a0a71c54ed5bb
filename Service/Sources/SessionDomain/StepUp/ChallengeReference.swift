internal import SessionTokens

/// The claims of a step-up token whose signature is valid, and what the caller proved with it.
package struct ChallengeReference: Sendable, Equatable {
    package let id: String
    /// `jti`.
    package let tokenID: String
    package let sessionID: String
    package let userID: String
    package let expiresAt: Timestamp
    /// The thumbprint of the proof's key (RFC 9449). `nil` without a proof.
    package let proofThumbprint: String?
    /// The session of the refresh token in the call. It replaces the proof for a session without a key.
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

    /// Asks for the challenge, its session and its user.
    func facts(app: AppID, _ more: (inout FactQuery) -> Void = { _ in }) -> FactQuery {
        FactQuery(app: app) {
            $0.challenge = id
            $0.session = .ofChallenge
            $0.user = .ofSession
            more(&$0)
        }
    }

    /// The reason why a step of this challenge may not be completed now. `nil` if there is none.
    ///
    /// The caller must hold the key of the session, or its refresh token if it has no key. So a leaked access token
    /// completes no step.
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
    ///   - proof: Must repeat the `jti` of the token. Its time and nonce are not checked, because the token has its
    ///     own.
    ///   - heldSessionID: The session of the refresh token in the call, if its MAC is valid.
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

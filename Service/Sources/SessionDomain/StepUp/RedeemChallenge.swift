/// Turns a completed challenge into a grant, as part of a refresh and in the transaction of the refresh.
package struct RedeemChallenge: Sendable {
    package let reference: ChallengeReference
    package let grantID: String
    package let now: Timestamp

    package init(reference: ChallengeReference, grantID: String, now: Timestamp) {
        self.reference = reference
        self.grantID = grantID
        self.now = now
    }

    /// - Parameters:
    ///   - session: The session after the refresh.
    ///   - accessTokenLifetime: Seconds for which a single-use grant lasts at most.
    ///   - isRepeat: Whether the refresh repeats a lost answer. The challenge may then be redeemed already.
    package func decide(
        challenge: StepUpChallenge?, session: Session, accessTokenLifetime: Int, isRepeat: Bool
    ) -> RedemptionDecision {
        guard reference.sessionID == session.id, reference.userID == session.userID else {
            return .refuse(.challengeMismatch)
        }
        guard let challenge, challenge.sessionID == session.id, challenge.appID == session.appID else {
            return .refuse(.invalidChallenge)
        }
        guard challenge.tokenID == reference.tokenID else { return .refuse(.challengeReused) }
        if challenge.redeemedAt != nil { return isRepeat ? .redeemedBefore : .refuse(.challengeReused) }
        guard challenge.expiresAt > now else { return .refuse(.expiredChallenge) }
        guard let completedAt = challenge.completedAt else { return .refuse(.stepNotCompleted) }
        var expiresAt = now + accessTokenLifetime
        if challenge.terms.grantedFor > 0 {
            let granted = completedAt + challenge.terms.grantedFor
            expiresAt = challenge.terms.mode == .singleUse ? min(granted, expiresAt) : granted
        }
        guard expiresAt > now else { return .refuse(.expiredChallenge) }
        var redeemed = challenge
        redeemed.redeemedAt = now
        return .grant(
            Grant(
                id: grantID, appID: session.appID, userID: session.userID, sessionID: session.id,
                scope: challenge.scope, mode: challenge.terms.mode, generation: session.generation,
                expiresAt: expiresAt),
            challenge, redeemed: redeemed)
    }
}

package enum RedemptionDecision: Sendable, Equatable {
    /// Insert the grant and replace the challenge by its redeemed form.
    case grant(Grant, StepUpChallenge, redeemed: StepUpChallenge)
    case redeemedBefore
    case refuse(Refusal)
}

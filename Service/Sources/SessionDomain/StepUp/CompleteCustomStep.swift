/// Completes a step of the operator's own, proven by a valid token of the operator's backend.
package struct CompleteCustomStep: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    /// The content of the operator's token.
    package let report: CustomStepReport
    package let nextTokenID: String
    package let now: Timestamp

    package init(
        appID: AppID, reference: ChallengeReference, report: CustomStepReport, nextTokenID: String, now: Timestamp
    ) {
        self.appID = appID
        self.reference = reference
        self.report = report
        self.nextTokenID = nextTokenID
        self.now = now
    }

    package var facts: FactQuery { reference.facts(app: appID) }

    package func decide(_ facts: Facts) -> Decision<StepOutcome> {
        if let refusal = refusal(challenge: facts.challenge, session: facts.session, user: facts.user) {
            return Decision(.refused(refusal))
        }
        guard let challenge = facts.challenge else { return Decision(.refused(.invalidChallenge)) }
        if facts.isTaken(.redemption(report.redemptionKey)) { return Decision(.refused(.challengeReused)) }
        let next = challenge.advanced(tokenID: nextTokenID, at: now)
        return Decision(
            .advanced(next),
            [
                .redeem(report.redemptionKey, until: report.expiresAt, app: appID),
                .replaceChallenge(challenge, with: next),
            ])
    }

    /// The reason why the step may not be completed now; `nil` if there is none.
    package func refusal(challenge: StepUpChallenge?, session: Session?, user: User?) -> Refusal? {
        if let refusal = reference.refusal(challenge: challenge, session: session, user: user, now: now) {
            return refusal
        }
        guard let challenge, let user, report.challengeID == challenge.id, report.userID == user.id else {
            return .challengeMismatch
        }
        guard let index = challenge.steps.firstIndex(where: { $0.key == report.stepKey }),
            challenge.steps[index].identifierType == nil
        else { return .stepNotFound }
        if index < challenge.stepsDone { return .challengeReused }
        return index == challenge.stepsDone ? nil : .stepBypassed
    }
}

/// The content of a token with which the operator's backend confirms a custom step.
package struct CustomStepReport: Sendable, Equatable {
    package let userID: String
    package let challengeID: String
    package let stepKey: String
    /// `jti`, valid once.
    package let tokenID: String
    package let expiresAt: Timestamp

    package init(userID: String, challengeID: String, stepKey: String, tokenID: String, expiresAt: Timestamp) {
        self.userID = userID
        self.challengeID = challengeID
        self.stepKey = stepKey
        self.tokenID = tokenID
        self.expiresAt = expiresAt
    }
    /// Names the token among everything that is redeemed once. The prefix keeps it apart from our own challenge tokens.
    var redemptionKey: String { "step/" + tokenID }
}

/// The intent to do a step of the operator's own, proven by a token of theirs that was checked. A store performs it in
/// one transaction:
///
/// 1. read the challenge with its session and user, and ask `refusal`; stop when there is one;
/// 2. remember the operator's token (a repeat: `.refused(.challengeReused)`);
/// 3. write the challenge `advanced`.
package struct CompleteCustomStep: Sendable {
    package let appID: AppID
    package let reference: ChallengeReference
    /// What the operator's token says was done.
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

    package func advanced(_ challenge: StepUpChallenge) -> StepUpChallenge {
        challenge.advanced(tokenID: nextTokenID, at: now)
    }
}

/// The content of a token by which the operator's backend says that a custom step was done.
package struct CustomStepReport: Sendable, Equatable {
    package let userID: String
    package let challengeID: String
    package let stepKey: String
    /// `jti`, good once.
    package let tokenID: String
    package let expiresAt: Timestamp

    package init(userID: String, challengeID: String, stepKey: String, tokenID: String, expiresAt: Timestamp) {
        self.userID = userID
        self.challengeID = challengeID
        self.stepKey = stepKey
        self.tokenID = tokenID
        self.expiresAt = expiresAt
    }
}

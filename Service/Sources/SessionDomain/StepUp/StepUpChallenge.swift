/// A running step-up, as it is stored. It holds the state; tokens only refer to it.
package struct StepUpChallenge: Sendable, Equatable {
    /// `chg_` and a ULID; all tokens of the flow share it.
    package let id: String
    package let appID: AppID
    package let userID: String
    package let sessionID: String
    package let scope: String
    package let terms: GrantTerms
    package let steps: [StepUpStep]
    /// The identifier that a register scope adds when its code is correct.
    package let newIdentifier: CanonicalIdentifier?
    package let createdAt: Timestamp
    /// `jti` of the one valid token.
    package var tokenID: String
    package var stepsDone: Int
    package var wrongCodes: Int
    /// When the current token expires.
    package var expiresAt: Timestamp
    package var completedAt: Timestamp?
    package var redeemedAt: Timestamp?

    package init(
        id: String, appID: AppID, userID: String, sessionID: String, scope: String, terms: GrantTerms,
        steps: [StepUpStep], newIdentifier: CanonicalIdentifier? = nil, createdAt: Timestamp, tokenID: String,
        stepsDone: Int = 0, wrongCodes: Int = 0, expiresAt: Timestamp, completedAt: Timestamp? = nil,
        redeemedAt: Timestamp? = nil
    ) {
        self.id = id
        self.appID = appID
        self.userID = userID
        self.sessionID = sessionID
        self.scope = scope
        self.terms = terms
        self.steps = steps
        self.newIdentifier = newIdentifier
        self.createdAt = createdAt
        self.tokenID = tokenID
        self.stepsDone = stepsDone
        self.wrongCodes = wrongCodes
        self.expiresAt = expiresAt
        self.completedAt = completedAt
        self.redeemedAt = redeemedAt
    }

    /// The next step. `nil` if all steps are completed.
    package var currentStep: StepUpStep? { stepsDone < steps.count ? steps[stepsDone] : nil }

    /// The identifier that the current step adds: the code of the last step of a register scope goes to it.
    package var identifierOfStep: CanonicalIdentifier? { stepsDone == steps.count - 1 ? newIdentifier : nil }

    /// Starts a challenge. Without steps it is completed at once.
    package init(
        starting scope: String, for session: Session, terms: GrantTerms, steps: [StepUpStep],
        newIdentifier: CanonicalIdentifier? = nil, id: String, tokenID: String, at now: Timestamp
    ) {
        let steps = steps.sorted { $0.order < $1.order }
        self.init(
            id: id, appID: session.appID, userID: session.userID, sessionID: session.id, scope: scope, terms: terms,
            steps: steps, newIdentifier: newIdentifier, createdAt: now, tokenID: tokenID, expiresAt: now)
        enterStep(at: now)
    }

    /// The challenge after its current step, with a new token. The old token is no longer valid.
    package func advanced(tokenID: String, at now: Timestamp) -> StepUpChallenge {
        var next = self
        next.stepsDone += 1
        next.tokenID = tokenID
        next.enterStep(at: now)
        return next
    }

    /// The challenge after one more wrong code.
    var withOneMoreWrongCode: StepUpChallenge {
        var next = self
        next.wrongCodes += 1
        return next
    }

    private mutating func enterStep(at now: Timestamp) {
        if let step = currentStep {
            expiresAt = now + step.lifetime
        } else {
            completedAt = now
            expiresAt = now + Self.redemptionTime
        }
    }

    /// The key of the verification for the current step's code, in place of a token hash.
    package var verificationKey: String { Self.verificationKeyPrefix(id) + String(stepsDone) }

    /// What the keys of all steps of a challenge begin with. The number of completed steps follows.
    package static func verificationKeyPrefix(_ id: String) -> String { "step/\(id)/" }
}

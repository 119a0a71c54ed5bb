internal import SessionTokens

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

/// The fixed limits of step-ups. What an operator can change is in `StepUpConfig`.
extension StepUpChallenge {
    /// Wrong codes after which a challenge is no longer valid.
    package static let maximumWrongCodes = 5
    /// Seconds from completion to the refresh that redeems the challenge.
    package static let redemptionTime = 300
    /// Maximum number of open challenges per session. One more deletes the oldest.
    package static let maximumPerSession = 10
}

/// Opens a challenge. If the session has too many open challenges, the oldest ones are deleted.
///
/// Returns `false`, and opens none, if the rules of the scope or the user's identifiers are not those that decided any more.
/// A process caches rules for some seconds, and a hook can take seconds. A change of the rules ends the open challenges, so
/// none may be opened after it.
package struct OpenChallenge: Intent {
    package let challenge: StepUpChallenge
    /// The rules of the scope that decided.
    package let rules: [ScopeRule]
    /// The established identifiers of the user at `decidedAt`: what the decision rests on, and a hook was shown.
    package let identifiers: Set<CanonicalIdentifier>
    package let decidedAt: Timestamp

    package init(
        challenge: StepUpChallenge, rules: [ScopeRule], identifiers: Set<CanonicalIdentifier>, decidedAt: Timestamp
    ) {
        self.challenge = challenge
        self.rules = rules
        self.identifiers = identifiers
        self.decidedAt = decidedAt
    }

    package struct Facts: Sendable {
        let settings: App?
        let user: User?
        let unredeemedChallenges: [StepUpChallenge]
    }

    package var reads: Read<Facts> {
        Read(
            app: challenge.appID, .settings(isShared: true), .user(challenge.userID),
            .unredeemedChallenges(ofSession: challenge.sessionID), as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard (facts.settings?.stepUp?.rules ?? []).filter({ $0.scope == challenge.scope }) == rules else {
            return Decision(false)
        }
        // A hold that ends meanwhile is no change: both sets are those of the same time.
        guard Set(facts.user?.establishedIdentifiers(at: decidedAt) ?? []) == identifiers else {
            return Decision(false)
        }
        let surplus = facts.unredeemedChallenges.dropFirst(StepUpChallenge.maximumPerSession - 1)
        return Decision(true, surplus.map { .deleteChallenge($0) } + [.insertChallenge(challenge)])
    }
}

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

    /// What the caller of a step must hold.
    package enum Requirement: Sendable {
        /// The key of the session, or its refresh token if it has no key. So a leaked access token completes no step.
        case session
        /// Nothing: what the step sends goes to the user, not to the caller.
        case none
    }

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

    /// Asks for what a step with a code concerns.
    func readsCode(app: AppID) -> Read<StepCodeFacts> {
        Read(
            app: app, .challenge(id), .sessionOfChallenge, .userOfSession(), .verificationOfChallenge, .failures,
            as: StepCodeFacts.init)
    }

    /// The reason why a step of this challenge may not be completed now. `nil` if there is none.
    ///
    /// - Parameter requirement: What the caller must hold, besides the token of the step.
    package func refusal(
        challenge: StepUpChallenge?, session: Session?, user: User?, now: Timestamp, requirement: Requirement = .session
    ) -> Refusal? {
        guard let challenge, let session, let user, session.isLive(at: now), user.status == .active,
            challenge.sessionID == session.id, challenge.userID == user.id, sessionID == session.id, userID == user.id
        else { return .invalidChallenge }
        if requirement == .session, let refusal = refusalOfHolder(of: session) { return refusal }
        guard challenge.tokenID == tokenID else { return .challengeReused }
        guard challenge.expiresAt > now else { return .expiredChallenge }
        guard challenge.wrongCodes < StepUpChallenge.maximumWrongCodes else { return .invalidChallenge }
        return challenge.completedAt == nil ? nil : .stepNotFound
    }

    private func refusalOfHolder(of session: Session) -> Refusal? {
        guard let thumbprint = session.keyThumbprint else { return heldSessionID == session.id ? nil : .unauthorized }
        guard let proofThumbprint else { return .missingProof }
        return proofThumbprint == thumbprint ? nil : .proofKeyMismatch
    }
}

/// The rows of a step with a code: the challenge, its session and user, and its running verification.
package struct StepCodeFacts: Sendable {
    let challenge: StepUpChallenge?
    let session: Session?
    let user: User?
    let verification: Verification?
    let failures: GuardFailures
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

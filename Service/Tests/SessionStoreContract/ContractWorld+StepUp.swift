internal import SessionDomain
internal import Testing

extension ContractWorld {
    /// A custom step of the operator.
    static let customStep = StepUpStep(order: 1, key: "kyc", expirationDuration: 100)
    /// A step that sends a code to an e-mail address.
    static let mailStep = StepUpStep(order: 1, key: StepUpStep.verifyEmail, expirationDuration: 100)
    /// A step that sends a code to a phone number.
    static let phoneStep = StepUpStep(order: 2, key: StepUpStep.verifySMS, expirationDuration: 100)

    /// A challenge that is in the store. Without steps it is completed.
    func open(
        _ scope: String = "pay", for session: Session, mode: GrantMode = .singleUse, grantedFor seconds: Int = 100,
        steps: [StepUpStep] = [], newIdentifier: CanonicalIdentifier? = nil, after delay: Int = 0
    ) async throws -> StepUpChallenge {
        let challenge = StepUpChallenge(
            starting: scope, for: session, terms: GrantTerms(mode: mode, grantedFor: seconds), steps: steps,
            newIdentifier: newIdentifier, id: environment.newID("chg"), tokenID: environment.newID("chl"),
            at: now + delay)
        let rules = try await store.app(session.appID)?.stepUp?.rules.filter { $0.scope == scope } ?? []
        let user = try await store.user(session.userID, app: session.appID)
        let opening = OpenChallenge(
            challenge: challenge, rules: rules, identifiers: Set(user?.establishedIdentifiers(at: now) ?? []),
            decidedAt: now)
        #expect(try await store.perform(opening))
        return challenge
    }

    /// The valid token of a challenge, together with a key.
    func reference(
        _ challenge: StepUpChallenge, key: String? = "key-1", held: String? = nil, session: String? = nil,
        user: String? = nil
    ) -> ChallengeReference {
        ChallengeReference(
            id: challenge.id, tokenID: challenge.tokenID, sessionID: session ?? challenge.sessionID,
            userID: user ?? challenge.userID, expiresAt: challenge.expiresAt, proofThumbprint: key,
            heldSessionID: held)
    }

    /// Sends a code, whose hash is `code`.
    func send(
        _ challenge: StepUpChallenge, as reference: ChallengeReference? = nil, app: AppID? = nil,
        code: String = "right", limits: LimitSettings = LimitSettings(), after seconds: Int = 0
    ) async throws -> SendStepUpOutcome {
        let (time, app) = (now + seconds, app ?? self.app)
        return try await store.perform(
            SendStepUpCode(
                appID: app, reference: reference ?? self.reference(challenge), limits: limits, now: time, draft: draft()
            ) { key in self.code(code, of: key, expiresAt: time + limits.codeLifetime) })
    }

    func enter(
        _ code: String, for challenge: StepUpChallenge, as reference: ChallengeReference? = nil, app: AppID? = nil,
        limits: LimitSettings = LimitSettings(), hold: Int = 0, after seconds: Int = 1
    ) async throws -> StepOutcome {
        try await store.perform(
            CheckStepUpCode(
                appID: app ?? self.app, reference: reference ?? self.reference(challenge),
                codeHashes: { _ in ["old key's", code] }, limits: limits, hold: hold,
                nextTokenID: environment.newID("chl"),
                now: now + seconds, events: events(at: now + seconds)))
    }

    /// Reports a custom step. The same token is the same report of the operator.
    func report(
        _ key: String, token: String, for challenge: StepUpChallenge, as reference: ChallengeReference? = nil,
        about other: StepUpChallenge? = nil, user: String? = nil, app: AppID? = nil, after seconds: Int = 1
    ) async throws -> StepOutcome {
        try await store.perform(
            CompleteCustomStep(
                appID: app ?? self.app, reference: reference ?? self.reference(challenge),
                report: CustomStepReport(
                    userID: user ?? challenge.userID, challengeID: (other ?? challenge).id, stepKey: key,
                    tokenID: token, expiresAt: now + 3600),
                nextTokenID: environment.newID("chl"), now: now + seconds))
    }

    /// Whether a challenge exists and can continue.
    func isOpen(_ challenge: StepUpChallenge) async throws -> Bool {
        let outcome = try await send(challenge)
        return outcome != .refused(.invalidChallenge)
    }

    func endSession(_ session: Session) async throws {
        _ = try await store.perform(
            RevokeSessions(.one(session.id), reason: .logout, in: change(of: session.userID, app: session.appID)))
    }
}

extension StepOutcome {
    var advanced: StepUpChallenge? { if case .advanced(let challenge) = self { challenge } else { nil } }
}

extension SendStepUpOutcome {
    var sent: Verification? { if case .send(let verification, _, _) = self { verification } else { nil } }
}

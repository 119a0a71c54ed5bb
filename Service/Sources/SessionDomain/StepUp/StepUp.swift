internal import Foundation
package import SessionTokens
package import SessionWebAuthn

/// Step-ups: a session gets another scope after the required steps.
package struct StepUp: Sendable {
    private let store: any PasskeyStore & StepUpStore
    private let keys: KeyRing
    private let codes: CodeSender
    private let decider: ScopeDecider
    private let customSteps: CustomSteps
    private let slots: AppSlots
    private let environment: ServiceEnvironment

    init(
        store: any PasskeyStore & StepUpStore, keys: KeyRing, codes: CodeSender, hook: DelegationHook,
        customSteps: CustomSteps,
        slots: AppSlots,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.codes = codes
        self.customSteps = customSteps
        self.slots = slots
        self.environment = environment
        decider = ScopeDecider(hook: hook)
    }

    /// The answer to a request for a scope.
    package struct Answer: Sendable {
        package let status: StepUpStatus
        /// `nil` if the scope is denied.
        package let step: Step?
    }

    /// The token of the next step, or of a completed challenge.
    package struct Step: Sendable {
        package let challengeToken: String
        /// What the passkey signs, if the next step needs one.
        package let passkey: PasskeyRequest?
    }

    /// Decides on a request for a scope and opens a challenge.
    ///
    /// - Parameter hasProof: Whether the call has a proof by the session's key. A bound session requires one.
    package func request(
        scope: String, metadata: [String: String]?, caller: SignedIn, hasProof: Bool, app: AppRuntime,
        client: ClientFacts
    ) async throws -> Answer {
        guard hasProof || caller.session.keyThumbprint == nil else { throw Refusal.missingProof }
        let metadata = try StepUpMetadata(metadata)
        let now = environment.now()
        let limit = app.settings.otpLimits.stepUps
        if let until = try await store.perform(
            CountStepUp(
                user: caller.user.id, session: caller.session.id, app: app.settings.id, limit: limit, now: now,
                events: events(app)))
        {
            throw ReachedLimit(.stepUps(userID: caller.user.id), until: until)
                .refusal(now: now, observer: environment.observer)
        }
        let decided = try await decider.decide(
            scope, metadata: metadata, for: caller, app: app, client: client, now: now)
        switch decided.decision {
        case .block: return Answer(status: .block, step: nil)
        case .grant(let terms):
            return try await open(scope, terms, steps: [], nil, .continue, caller, app, decidedAt: now)
        case .review(let terms, let steps):
            if steps.contains(where: { $0.key == StepUpStep.verifyPasskey }) {
                let usable = try await usablePasskeys(of: caller.user.id, app)
                guard !usable.isEmpty else { throw Refusal.passkeyStepUnavailable }
            }
            return try await open(
                scope, terms, steps: steps, decided.newIdentifier, .review, caller, app, decidedAt: now)
        }
    }

    private func open(
        _ scope: String, _ terms: GrantTerms, steps: [StepUpStep], _ newIdentifier: CanonicalIdentifier?,
        _ status: StepUpStatus, _ caller: SignedIn, _ app: AppRuntime, decidedAt: Timestamp
    ) async throws -> Answer {
        // The hook may have taken seconds. The time of the steps starts now.
        let now = environment.now()
        let challenge = StepUpChallenge(
            starting: scope, for: caller.session, terms: terms, steps: steps, newIdentifier: newIdentifier,
            id: environment.newID("chg"), tokenID: environment.newID("chl"), at: now)
        let rules = (app.settings.stepUp?.rules ?? []).filter { $0.scope == scope }
        let intent = OpenChallenge(
            challenge: challenge, rules: rules,
            identifiers: Set(caller.user.establishedIdentifiers(at: decidedAt)), decidedAt: decidedAt)
        guard try await store.perform(intent) else {
            // The rules or the user's identifiers were changed. Every process knows the new rules after this time.
            throw Refusal.rateLimited(retryAfter: AppDirectory.lifetime)
        }
        return Answer(status: status, step: try await step(of: challenge, app: app, now: now))
    }

    private func step(of challenge: StepUpChallenge, app: AppRuntime, now: Timestamp) async throws -> Step {
        let token = try app.issueStepUpChallenge(challenge, now: now)
        guard challenge.currentStep?.key == StepUpStep.verifyPasskey, let config = app.settings.passkeys else {
            return Step(challengeToken: token, passkey: nil)
        }
        let allowed = try await usablePasskeys(of: challenge.userID, app)
        return Step(challengeToken: token, passkey: app.passkeyRequest(config, token: token, allowed: allowed))
    }

    /// The passkeys of a user that complete a step.
    private func usablePasskeys(of userID: String, _ app: AppRuntime) async throws -> [Passkey] {
        guard let config = app.settings.passkeys else { return [] }
        return try await store.passkeys(of: userID, app: app.settings.id).filter(config.accepts)
    }

    /// Queues the code of the current step. A later call sends it again, or a new one, as in a login.
    package func sendCode(
        app: AppRuntime, challengeToken: String, client: ClientFacts = ClientFacts(), dispatchID: String? = nil
    ) async throws {
        var now = environment.now()
        let reference = try app.stepUpReference(challengeToken, proof: nil, now: now)
        try codes.requireDelivery(by: OTPLoginConfig.Channel.allCases, app: app.settings)
        let limits = app.settings.otpLimits
        // The channel is known only inside the transaction.
        let (keys, number, size) = (keys, codes.newNumber(), codes.codeSize(app.settings))
        let (appID, events) = (app.settings.id, events(app))
        func send(at now: Timestamp) -> SendStepUpCode {
            SendStepUpCode(
                appID: appID, reference: reference, limits: limits, now: now,
                draft: codes.draft(of: app.settings, locales: client.locales), events: events
            ) { key in
                keys.issueCode(number: number, size: size, of: key, expiresAt: now + limits.codeLifetime)
            }
        }
        if limits.sendHook != nil,
            case .send(let next, let purpose, let counted) = try await store.perform(Rehearsal(of: send(at: now)))
        {
            try await codes.askHook(
                SendRequest(
                    purpose, isResend: next.sends > 1, to: next.identifier, client: client, dispatchID: dispatchID),
                of: app
            ) { failure in
                var subject = LoginSubject(next.identifier, userID: reference.userID)
                (subject.sessionID, subject.purpose) = (reference.sessionID, purpose)
                return CountRefusedSend(
                    appID: appID, budget: nil, counters: { _ in counted },
                    event: events.loginFailed(failure, LoginMethod(codeTo: next.identifier.type), of: subject))
            }
            // The hook may have taken seconds.
            now = environment.now()
        }
        switch try await store.perform(send(at: now)) {
        case .refused(let refusal): throw refusal
        case .limited(let until): throw Refusal.rateLimited(retryAfter: until.retryAfter(from: now))
        case .exhausted(let limit): throw codes.refusal(limit, now: now)
        case .send: codes.worker.wake()
        }
    }

    /// Completes the current step with its code.
    ///
    /// - Returns: The token of the next step, or of the completed challenge.
    package func check(
        app: AppRuntime, challengeToken: String, code: String, proof: CheckedProof?, refreshToken: String?
    ) async throws -> Step {
        let entered = try CodeDigits.entered(code)
        let now = environment.now()
        let reference: ChallengeReference
        do {
            reference = try app.stepUpReference(
                challengeToken, proof: proof, heldSessionID: heldSessionID(refreshToken, app), now: now)
        } catch Refusal.expiredChallenge {
            // A caller that guesses codes must not learn whether the code or its challenge has expired.
            throw Refusal.spentCode
        }
        let keys = keys
        let outcome = try await store.perform(
            CheckStepUpCode(
                appID: app.settings.id, reference: reference,
                codeHashes: { keys.codeHashes(entered, tokenHash: $0) }, limits: app.settings.otpLimits,
                hold: app.settings.newIdentifierHold, nextTokenID: environment.newID("chl"), now: now,
                events: events(app), notices: NoticeFactory(app.settings, environment: environment)))
        if case .refused(.expiredChallenge) = outcome { throw Refusal.spentCode }
        return try await step(outcome, app: app, now: now)
    }

    /// Completes the current step with a token of the operator's backend.
    package func completeStep(
        app: AppRuntime, challengeToken: String, verificationToken: String, proof: CheckedProof?,
        refreshToken: String?
    ) async throws -> Step {
        let now = environment.now()
        let reference = try app.stepUpReference(
            challengeToken, proof: proof, heldSessionID: heldSessionID(refreshToken, app), now: now)
        guard let config = app.settings.stepUp else { throw Refusal.stepUpNotConfigured }
        // The keys of the operator's backend may have to be fetched.
        let slot = try slots.take(app.settings.id)
        let report = try await customSteps.read(verificationToken, config: config, now: now)
        withExtendedLifetime(slot) {}
        let outcome = try await store.perform(
            CompleteCustomStep(
                appID: app.settings.id, reference: reference, report: report, nextTokenID: environment.newID("chl"),
                now: now))
        return try await step(outcome, app: app, now: now)
    }

    /// Completes the current step with a passkey of the user.
    ///
    /// - Parameter caller: Of the access token in the call, if it has one.
    package func completeStep(
        app: AppRuntime, challengeToken: String, _ response: AssertionResponse, caller: SignedIn?,
        proof: CheckedProof?, refreshToken: String?
    ) async throws -> Step {
        let now = environment.now()
        let reference = try app.stepUpReference(
            challengeToken, proof: proof, heldSessionID: heldSessionID(refreshToken, app), now: now)
        guard caller == nil || caller?.session.id == reference.sessionID else { throw Refusal.challengeMismatch }
        guard let config = app.settings.passkeys else { throw Refusal.passkeyStepUnavailable }
        let rejected = { @Sendable (problem: String) in
            Refusal.invalidField("passkey_assertion", "is not accepted: " + problem)
        }
        let id = Base64URL.encode(Data(response.credentialID))
        guard let passkey = try await store.passkey(id, app: app.settings.id), passkey.userID == reference.userID,
            config.accepts(passkey)
        else { throw rejected("the user has no such passkey") }
        let use: PasskeyUse
        do throws(WebAuthnError) {
            use = try PasskeyUse(verifying: response, by: passkey, token: challengeToken, config: config)
        } catch {
            throw rejected(error.problem)
        }
        let outcome = try await store.perform(
            CompletePasskeyStep(
                appID: app.settings.id, reference: reference, use: use,
                refusesLowerCounter: config.refusesLowerCounter, nextTokenID: environment.newID("chl"), now: now,
                events: events(app)))
        if case .wrong = outcome { throw rejected("its passkey was deleted, or its counter went back") }
        return try await step(outcome, app: app, now: now)
    }

    private func heldSessionID(_ refreshToken: String?, _ app: AppRuntime) -> String? {
        refreshToken.flatMap { RefreshToken($0, app: app.settings.id, keys: keys)?.sessionID }
    }

    private func step(_ outcome: StepOutcome, app: AppRuntime, now: Timestamp) async throws -> Step {
        switch outcome {
        case .advanced(let challenge): return try await step(of: challenge, app: app, now: now)
        case .wrong: throw Refusal.badCode
        case .spent: throw Refusal.spentCode
        case .limited(let limit): throw limit.refusal(now: now, observer: environment.observer)
        case .identifierTaken: throw Refusal.identifierTaken()
        case .refused(let refusal): throw refusal
        }
    }

    private func events(_ app: AppRuntime) -> EventFactory {
        EventFactory(appID: app.settings.id, environment: environment)
    }
}

/// Values that a client sends with a step-up request: at most 5 short texts.
package struct StepUpMetadata: Sendable, Equatable {
    package let values: [String: String]

    package static let identifier = "identifier"

    /// - Throws: `Refusal.invalidMetadata` with the key that exceeds a limit.
    package init(_ values: [String: String]?) throws(Refusal) {
        let values = values ?? [:]
        guard values.count <= 5 else { throw .invalidMetadata("metadata must have at most 5 keys") }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard (1...12).contains(key.unicodeScalars.count) else {
                throw .invalidMetadata("metadata keys must have 1 to 12 characters")
            }
            let limit = key == Self.identifier ? 320 : 32
            guard value.unicodeScalars.count <= limit else {
                throw .invalidMetadata("metadata.\(key) must have at most \(limit) characters")
            }
        }
        self.values = values
    }

    /// The identifier that a register scope adds.
    func newIdentifier(of type: IdentifierType) throws(Refusal) -> CanonicalIdentifier {
        guard let value = values[Self.identifier] else {
            throw .invalidMetadata("metadata.identifier is required: the value to register")
        }
        do {
            return try CanonicalIdentifier(type: type.rawValue, value: value, field: "metadata.identifier")
        } catch {
            if case .invalidIdentifier(let message) = error { throw .invalidMetadata(message) }
            throw error
        }
    }
}

/// Counts a request for a scope. Returns the time from which to try again if the user has reached the limit.
package struct CountStepUp: Intent {
    package let userID: String
    /// The session that requests, for the event.
    package let sessionID: String?
    package let appID: AppID
    package let limit: RateLimit
    package let now: Timestamp
    /// Reports the limit.
    package let events: EventFactory?

    package init(
        user id: String, session: String? = nil, app: AppID, limit: RateLimit, now: Timestamp,
        events: EventFactory? = nil
    ) {
        userID = id
        sessionID = session
        appID = app
        self.limit = limit
        self.now = now
        self.events = events
    }

    package var reads: Read<GuardFailures> { Read(app: appID, .failures) }

    package func decide(_ failures: GuardFailures) -> Decision<Timestamp?> {
        let requests = CounterKey.stepUps(userID: userID)
        if let until = failures.limit(of: requests) {
            let (limit, subject) = (
                ReachedLimit(requests, until: until), LoginSubject(stepUpOf: userID, session: sessionID)
            )
            return Decision(until, events?.loginLimited(limit, nil, of: subject, failures) ?? [])
        }
        return Decision(nil, [.count(requests, app: appID, limit: limit, now: now)])
    }
}

import SessionDomain
import Testing

@Suite("What a step-up writes")
struct StepUpDecisionTests {
    @Test("A request is counted, and rejected at the limit")
    func count() throws {
        let limit = RateLimit(limit: 30, window: 600)
        let intent = CountStepUp(user: "usr_1", app: try appID(), limit: limit, now: now)
        let key = CounterKey.stepUps(userID: "usr_1")
        #expect(intent.decide(FoundRows()) == Decision(nil, [.count(key, app: try appID(), limit: limit, now: now)]))
        let limited = FoundRows { $0.failures.add(.exhausted(key, until: now + 5)) }
        #expect(intent.decide(limited) == Decision(now + 5))
    }

    @Test("A session has at most 10 open challenges: the oldest are deleted", arguments: [0, 9, 10, 12])
    func open(existing: Int) throws {
        let challenge = try TestApp.challenge(id: "chg_new")
        let open = try (0..<existing).map { try TestApp.challenge(id: "chg_\($0)") }
        let intent = OpenChallenge(challenge: challenge, rules: [], identifiers: [], decidedAt: now)
        let decision = intent.decide(FoundRows { $0.unredeemedChallenges = open })
        #expect(
            decision
                == Decision(true, open.dropFirst(9).map { .deleteChallenge($0) } + [.insertChallenge(challenge)]))
    }

    // Proves: R13
    @Test("No challenge is opened by rules that were changed after they decided")
    func openByOldRules() throws {
        let challenge = try TestApp.challenge()
        let terms = GrantTerms(mode: .sessionBound, grantedFor: 300)
        let rule = ScopeRule(scope: challenge.scope, mode: .direct([.emailAddress], .grant(terms)))
        let denied = ScopeRule(scope: challenge.scope, mode: .direct([.emailAddress], .block))
        let other = ScopeRule(scope: "other", mode: .direct([.emailAddress], .block))
        func opens(_ stored: [ScopeRule]?) throws -> Bool {
            var app = App(id: try appID(), name: "Shop", createdAt: now)
            app.stepUp = stored.map { StepUpConfig(jwksURL: nil, stepKeys: [], rules: $0, at: now) }
            let intent = OpenChallenge(challenge: challenge, rules: [rule], identifiers: [], decidedAt: now)
            let decision = intent.decide(FoundRows { $0.settings = app })
            #expect(decision.changes.isEmpty != decision.outcome)
            return decision.outcome
        }
        #expect(try opens([rule]))
        #expect(try opens([other, rule]))
        #expect(try !opens([denied]))
        #expect(try !opens([rule, rule]))
        #expect(try !opens([other]))
        #expect(try !opens(nil))
    }

    @Test("No challenge is opened for identifiers that changed after they decided, and a hold that ends changes none")
    func openForOldIdentifiers() throws {
        let (mail, phone) = (try TestApp.mail(), try TestApp.phone())
        let intent = OpenChallenge(
            challenge: try TestApp.challenge(), rules: [], identifiers: [mail], decidedAt: now)
        func opens(_ identifiers: [CanonicalIdentifier]?, held: [CanonicalIdentifier: Timestamp] = [:]) throws -> Bool {
            let decision = intent.decide(
                try FoundRows { facts in
                    facts.user = try identifiers.map { try TestApp.user($0) }
                    if !held.isEmpty { facts.user?.heldUntil = held }
                })
            #expect(decision.changes.isEmpty != decision.outcome)
            return decision.outcome
        }
        #expect(try opens([mail]))
        #expect(try opens([mail, phone], held: [phone: now + 1]))
        #expect(try !opens([mail, phone]))
        #expect(try !opens([phone]))
        #expect(try !opens([]))
        #expect(try !opens(nil))
        #expect(try !opens([mail], held: [mail: now + 1]))
    }

    private func changePassword(endsOthers: Bool = true, _ fill: (inout FoundRows) throws -> Void = { _ in }) throws
        -> Decision<ChangePasswordOutcome>
    {
        ChangePassword(
            appID: try appID(), sessionID: "ses_1", passwordHash: "hash", endsOtherSessions: endsOthers, now: now,
            events: try TestApp.events()
        ).decide(
            try FoundRows { facts in
                facts.session = try TestApp.session()
                facts.user = try TestApp.user([try TestApp.mail()])
                facts.grants = [try TestApp.grant(scope: ReservedScope.writePassword), try TestApp.grant(id: "grt_2")]
                facts.liveSessions = [try TestApp.session(), try TestApp.session(id: "ses_2")]
                try fill(&facts)
            })
    }

    @Test(
        "A password change consumes its grant and ends the other sessions if the app says so", arguments: [true, false])
    func changed(endsOthers: Bool) throws {
        let decision = try changePassword(endsOthers: endsOthers) {
            if !endsOthers { $0.liveSessions = [] }
        }
        #expect(decision.outcome == .changed)
        #expect(decision.changes.first == .deleteGrant(try TestApp.grant(scope: ReservedScope.writePassword)))
        #expect(decision.changes.contains(.deleteStepUps(of: try TestApp.user([try TestApp.mail()]))))
        let others = try TestApp.revocation(try TestApp.session(id: "ses_2"), .passwordChanged)
        #expect(decision.changes.contains(others[0]) == endsOthers)
        #expect(!decision.changes.contains(try TestApp.revocation(try TestApp.session(), .passwordChanged)[0]))
    }

    @Test(
        "A password is not changed without a grant that covers the session, or without a live session and active user")
    func notChanged() throws {
        let rejected = Decision(ChangePasswordOutcome.insufficientScope)
        #expect(try changePassword { $0.grants = [] } == rejected)
        #expect(try changePassword { $0.grants = [try TestApp.grant()] } == rejected)
        #expect(
            try changePassword { $0.grants = [try TestApp.grant(scope: ReservedScope.writePassword, lasts: 0)] }
                == rejected)
        #expect(try changePassword { $0.session = try TestApp.session(revokedAt: now) } == rejected)
        #expect(try changePassword { $0.user = try TestApp.user(status: .suspended) } == rejected)
        #expect(try changePassword { $0.session = nil } == rejected)
    }

    @Test("An operator's token completes its step once")
    func customStep() throws {
        let report = CustomStepReport(
            userID: "usr_1", challengeID: "chg_1", stepKey: "kyc", tokenID: "jti", expiresAt: now + 60)
        let intent = CompleteCustomStep(
            appID: try appID(), reference: TestApp.reference, report: report, nextTokenID: "chl_2", now: now)
        let challenge = try TestApp.challenge(step: "kyc")
        var facts = try FoundRows { facts in
            facts.challenge = challenge
            facts.session = try TestApp.session()
            facts.user = try TestApp.user()
        }
        let next = challenge.advanced(tokenID: "chl_2", at: now)
        #expect(
            intent.decide(facts)
                == Decision(
                    .advanced(next),
                    [
                        .redeem("step/jti", until: now + 60, app: try appID()),
                        .replaceChallenge(challenge, with: next),
                    ]))
        facts.failures.add(.taken(.redemption("step/jti")))
        #expect(intent.decide(facts) == Decision(.refused(.challengeReused)))
        #expect(intent.decide(FoundRows()) == Decision(.refused(.invalidChallenge)))
    }

    @Test("An operator's token completes only the current step: not one that follows, and not one that is done")
    func customStepInOrder() throws {
        let steps = [StepUpStep.verifyEmail, "kyc", "video"].enumerated().map { index, key in
            StepUpStep(order: index + 1, key: key, expirationDuration: 60)
        }
        var challenge = StepUpChallenge(
            id: "chg_1", appID: try appID(), userID: "usr_1", sessionID: "ses_1", scope: "pay",
            terms: GrantTerms(mode: .singleUse, grantedFor: 0), steps: steps, newIdentifier: nil, createdAt: now - 10,
            tokenID: "chl_1", wrongCodes: 0, expiresAt: now + 50)
        let report = CustomStepReport(
            userID: "usr_1", challengeID: "chg_1", stepKey: "kyc", tokenID: "jti", expiresAt: now + 60)
        let intent = CompleteCustomStep(
            appID: try appID(), reference: TestApp.reference, report: report, nextTokenID: "chl_2", now: now)
        func refusal() throws -> Refusal? {
            intent.refusal(challenge: challenge, session: try TestApp.session(), user: try TestApp.user())
        }
        #expect(try refusal() == .stepBypassed)
        challenge = challenge.advanced(tokenID: "chl_1", at: now)
        #expect(try refusal() == nil)
        challenge = challenge.advanced(tokenID: "chl_1", at: now)
        #expect(try refusal() == .challengeReused)
    }
}

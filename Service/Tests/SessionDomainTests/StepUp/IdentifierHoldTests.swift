import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Identifiers that a session registered open nothing else at first (X1)")
struct IdentifierHoldTests {
    /// A user with an e-mail address and a phone number.
    ///
    /// - Parameter held: The identifiers that are held, with the seconds from now.
    private func user(held: [IdentifierType: Int] = [:]) throws -> User {
        var user = try TestApp.user([try TestApp.mail(), try TestApp.phone()])
        for (type, seconds) in held {
            let identifier = try #require(user.identifiers.first { $0.type == type })
            user.heldUntil[identifier] = now + seconds
        }
        return user
    }

    private func session(age seconds: Int) throws -> Session {
        Session(
            id: "ses_1", appID: try appID(), userID: "usr_1", keyThumbprint: "key", device: Device(),
            createdAt: now - seconds, idleExpiresAt: now + 10_000, absoluteExpiresAt: now + 10_000)
    }

    /// The keys of the steps that register a phone number.
    private func steps(
        _ user: User, age: Int = 0, _ configure: (inout App) -> Void = { _ in }
    ) throws -> [String] {
        var app = App(id: try appID(), name: "test", createdAt: now)
        configure(&app)
        let decision = try ScopeDecider.registration(
            of: .phoneNumber, for: user, session: try session(age: age), app: app, now: now)
        guard case .review(GrantTerms(mode: .singleUse, grantedFor: 0), let steps) = decision else { return [] }
        #expect(steps.map(\.order) == Array(1...steps.count))
        return steps.map(\.key)
    }

    @Test("An identifier is held until its time, and the others are not")
    func held() throws {
        let user = try user(held: [.phoneNumber: 1])
        let (mail, phone) = (try TestApp.mail(), try TestApp.phone())
        #expect(user.isHeld(phone, at: now) && !user.isHeld(phone, at: now + 1) && !user.isHeld(mail, at: now))
        #expect(user.establishedIdentifiers(at: now) == [mail])
        #expect(user.establishedIdentifiers(at: now + 1) == [mail, phone])
        #expect(user.hasHeldIdentifier(at: now) && !user.hasHeldIdentifier(at: now + 1))
    }

    // Proves: X1
    @Test("A registration begins with a code to the first identifier that is not held (ASVS 7.5.1)")
    func existingFirst() throws {
        let (mail, sms) = (StepUpStep.verifyEmail, StepUpStep.verifySMS)
        // A login of at most 10 minutes ago replaces the first code.
        #expect(try steps(try user(), age: 600) == [sms])
        #expect(try steps(try user(), age: 601) == [mail, sms])
        #expect(try steps(try user(), age: 60) { $0.freshLogin = 59 } == [mail, sms])
        #expect(try steps(try user(), age: 3600) { $0.freshLogin = 3600 } == [sms])
        // A held identifier may have made the fresh login.
        #expect(try steps(try user(held: [.phoneNumber: 1])) == [mail, sms])
        #expect(try steps(try user(held: [.emailAddress: 1])) == [sms, sms])
        #expect(try steps(try user(held: [.emailAddress: 0])) == [sms])
        // A user without identifiers has none to confirm.
        #expect(try steps(try TestApp.user(), age: 601) == [sms])
        #expect(try steps(try user(held: [.phoneNumber: 1]), age: 601) { $0.registersInOneStep = true } == [sms])
    }

    @Test("A user whose identifiers are all held registers no further one", arguments: [0, 601])
    func allHeld(age: Int) throws {
        let user = try user(held: [.phoneNumber: 1, .emailAddress: 60])
        let refusal = #expect(throws: Refusal.self) { try steps(user, age: age) }
        guard case .forbidden = refusal else {
            Issue.record("refused as \(String(describing: refusal))")
            return
        }
    }

    // Proves: X1
    @Test("A held identifier fits no direct rule, and is no recipient of a rule's code")
    func rules() throws {
        let review = StepUpDecision.review(
            GrantTerms(mode: .singleUse, grantedFor: 0),
            steps: [StepUpStep(order: 1, key: StepUpStep.verifySMS, expirationDuration: 60)])
        let grant = StepUpDecision.grant(GrantTerms(mode: .singleUse, grantedFor: 0))
        let held = try user(held: [.phoneNumber: 1])
        for decision in [review, grant] {
            let rule = ScopeRule(scope: "pay", mode: .direct([.phoneNumber], decision))
            #expect(try ScopeDecider.direct([rule], for: try user(), now: now) == decision)
            #expect(try ScopeDecider.direct([rule], for: held, now: now + 1) == decision)
            #expect(throws: Refusal.scopeIdentifierMismatch) {
                try ScopeDecider.direct([rule], for: held, now: now)
            }
        }
        let byMail = ScopeRule(scope: "pay", mode: .direct([.emailAddress], review))
        #expect(throws: Refusal.scopeIdentifierMismatch) { try ScopeDecider.direct([byMail], for: held, now: now) }
    }

    // Proves: X1
    @Test("A hook gets no held identifier, and cannot require a code to one")
    func hook() async throws {
        let answer = """
            {"status": "review", "granted_for": 60, "grant_mode": "single-use",
             "steps": [{"order": 1, "key": "verify_sms", "expiration_duration": 60}]}
            """
        let egress = FakeEgress(always: .answer(answer))
        let keys = HookKeys(store: KeyStore(), keys: TestApp.keys, directory: nil, environment: stillEnvironment)
        let hook = DelegationHook(
            call: HookCall(egress: egress, keys: keys, environment: stillEnvironment),
            slots: .ofUsers(requests: 512), store: EventRecorder(), environment: stillEnvironment)
        let caller = try TestApp.caller(try user(held: [.phoneNumber: 1]), session: try TestApp.session())
        await #expect(throws: Refusal.authBlocked) {
            try await hook.ask(
                "https://hooks.example.com/", scope: "pay", metadata: try StepUpMetadata(nil), caller: caller,
                app: try TestApp.open(), config: StepUpConfig(jwksURL: nil, stepKeys: [], rules: [], at: now),
                client: ClientFacts(), now: now)
        }
        let body = try TokenJSON.decode([String: JSONValue].self, from: try #require(egress.requests.first).body)
        #expect(body["identifiers"] == .array([.object(["type": "email_address", "value": "ada@example.com"])]))
    }

    /// The claims of the challenge of a login with scopes.
    private func login(_ user: User, by identifier: CanonicalIdentifier?) throws -> ChallengeClaims {
        let app = try TestApp.open()
        let token = try app.issueLoginChallenge(
            for: user, by: identifier, grantedScopes: ["prld:pwd:write", "pay"], environment: stillEnvironment)
        return try app.verifyChallenge(token, now: now)
    }

    // Proves: X1
    @Test("A login with a held identifier gets no scopes and ends no hold, not even that of another identifier")
    func heldLogin() throws {
        let user = try user(held: [.phoneNumber: 1])
        let held = try login(user, by: try TestApp.phone())
        #expect(held.grantedScopes == nil && held.endsHolds == nil)
        let established = try login(user, by: try TestApp.mail())
        #expect(established.grantedScopes == ["prld:pwd:write", "pay"] && established.endsHolds == true)
        // A migration proves no identifier of the user.
        let migration = try login(user, by: nil)
        #expect(migration.grantedScopes == ["prld:pwd:write", "pay"] && migration.endsHolds == nil)
    }
}

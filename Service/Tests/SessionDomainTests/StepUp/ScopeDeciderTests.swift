import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Decisions on scopes, as tables (S2)")
struct ScopeDeciderTests {
    // MARK: Inputs

    private struct Steps: Sendable {
        let keys: [String]
        let needs: Set<IdentifierType>

        static let all = [
            Steps(keys: [StepUpStep.verifyEmail], needs: [.emailAddress]),
            Steps(keys: [StepUpStep.verifySMS], needs: [.phoneNumber]),
            Steps(keys: [StepUpStep.verifyEmail, StepUpStep.verifySMS], needs: [.emailAddress, .phoneNumber]),
            Steps(keys: ["kyc"], needs: []),
            Steps(keys: ["kyc", StepUpStep.verifySMS], needs: [.phoneNumber]),
        ]

        var list: [StepUpStep] {
            keys.enumerated().map { StepUpStep(order: $0.offset, key: $0.element, expirationDuration: 60) }
        }
    }

    private static let owned: [Set<IdentifierType>] = [
        [], [.emailAddress], [.phoneNumber], [.emailAddress, .phoneNumber],
    ]

    private static func decision(_ status: StepUpStatus, _ mode: GrantMode, _ steps: Steps) -> StepUpDecision {
        let terms = GrantTerms(mode: mode, grantedFor: 60)
        switch status {
        case .block: return .block
        case .continue: return .grant(terms)
        case .review: return .review(terms, steps: steps.list)
        }
    }

    private static func identifiers(_ types: Set<IdentifierType>) throws -> [CanonicalIdentifier] {
        try types.map { $0 == .emailAddress ? try TestApp.mail() : try TestApp.phone() }
    }

    /// Decides on a scope, `pay` by default.
    private func decide(
        _ scope: String = "pay", rules: [ScopeRule]?, registered: [String]? = nil, owns types: Set<IdentifierType> = [],
        metadata: [String: String]? = nil, egress: FakeEgress = .unreachable, recorder: EventRecorder = EventRecorder(),
        inOneStep: Bool = true, caller: SignedIn? = nil
    ) async throws -> ScopeDecider.Decided {
        let keys = HookKeys(store: KeyStore(), keys: TestApp.keys, directory: nil, environment: stillEnvironment)
        let hook = DelegationHook(
            call: HookCall(egress: egress, keys: keys, environment: stillEnvironment),
            slots: .ofUsers(requests: 512), store: recorder, environment: stillEnvironment)
        let app = try TestApp.open { app in
            app.scopes = registered ?? [scope]
            app.registersInOneStep = inOneStep
            app.stepUp = rules.map { StepUpConfig(jwksURL: nil, stepKeys: ["kyc"], rules: $0, at: now) }
        }
        return try await ScopeDecider(hook: hook).decide(
            scope, metadata: try StepUpMetadata(metadata),
            for: try caller ?? TestApp.caller(try Self.identifiers(types)), app: app, client: ClientFacts(), now: now)
    }

    // MARK: Direct

    @Test("A direct rule decides for users that it fits and whose codes have a recipient; any other user is a mismatch")
    func direct() async throws {
        var count = 0
        for fits in Self.owned.dropFirst() {
            for (status, mode) in StepUpStatus.allCases.flatMap({ s in GrantMode.allCases.map { (s, $0) } }) {
                for (steps, owns) in Steps.all.flatMap({ s in Self.owned.map { (s, $0) } }) {
                    let decision = Self.decision(status, mode, steps)
                    let rule = ScopeRule(scope: "pay", mode: .direct(Array(fits), decision))
                    let isPossible = status != .review || steps.needs.isSubset(of: owns)
                    let outcome = await Result { try await decide(rules: [rule], owns: owns) }
                    if fits.isDisjoint(with: owns) || !isPossible {
                        #expect(outcome.refusal == .scopeIdentifierMismatch, "\(rule) \(owns)")
                    } else {
                        #expect(outcome.value == .init(decision: decision), "\(rule) \(owns)")
                    }
                    count += 1
                }
            }
        }
        #expect(count == 3 * 9 * 20)
    }

    @Test("The first direct rule that fits decides, even if a later one grants more")
    func firstRule() async throws {
        let grant = StepUpDecision.grant(GrantTerms(mode: .singleUse, grantedFor: 0))
        let sms = Self.decision(.review, .singleUse, Steps.all[1])
        let rules = [
            ScopeRule(scope: "other", mode: .direct([.emailAddress, .phoneNumber], grant)),
            ScopeRule(scope: "pay", mode: .direct([.phoneNumber], .block)),
            ScopeRule(scope: "pay", mode: .direct([.emailAddress], sms)),
            ScopeRule(scope: "pay", mode: .direct([.emailAddress], grant)),
        ]
        #expect(try await decide(rules: rules, owns: [.phoneNumber]).decision == .block)
        #expect(try await decide(rules: rules, owns: [.emailAddress, .phoneNumber]).decision == .block)
        await #expect(throws: Refusal.scopeIdentifierMismatch) {
            try await decide(rules: rules, owns: [.emailAddress])
        }
    }

    // MARK: Delegated

    @Test("A delegated scope gets the hook's decision; it is blocked, with an event, if a code has no recipient")
    func delegated() async throws {
        let rule = ScopeRule(scope: "pay", mode: .delegated(hook: "https://hooks.example.com/"))
        for (status, mode) in StepUpStatus.allCases.flatMap({ s in GrantMode.allCases.map { (s, $0) } }) {
            for (steps, owns) in Steps.all.flatMap({ s in Self.owned.map { (s, $0) } }) {
                let answer: [String: JSONValue] = [
                    "status": .string(status.rawValue), "grant_mode": .string(mode.rawValue), "granted_for": .int(60),
                    "steps": .array(
                        steps.keys.enumerated().map { index, key in
                            .object([
                                "order": .int(Int64(index)), "key": .string(key), "expiration_duration": .int(60),
                            ])
                        }),
                ]
                let recorder = EventRecorder()
                let egress = FakeEgress(always: .answer(try TokenJSON.encode(answer)))
                let outcome = await Result {
                    try await decide(rules: [rule], owns: owns, egress: egress, recorder: recorder)
                }
                if status == .review, !steps.needs.isSubset(of: owns) {
                    #expect(outcome.refusal == .authBlocked, "\(answer) \(owns)")
                    #expect(recorder.events.map { $0.data["reason"] } == ["invalid_step"])
                } else {
                    #expect(outcome.value == .init(decision: Self.decision(status, mode, steps)), "\(answer) \(owns)")
                    #expect(recorder.events.isEmpty)
                }
                #expect(egress.requests.count == 1)
            }
        }
    }

    @Test("A delegated scope is blocked if the hook cannot be reached")
    func unreachable() async throws {
        let rule = ScopeRule(scope: "pay", mode: .delegated(hook: "https://hooks.example.com/"))
        await #expect(throws: Refusal.authBlocked) { try await decide(rules: [rule], owns: [.emailAddress]) }
    }

    // MARK: Managed

    @Test(
        "A managed scope in one step requires one code to the new identifier and covers one token",
        arguments: [
            (ReservedScope.registerPhone, StepUpStep.verifySMS, "+14155550100"),
            (ReservedScope.registerEmail, StepUpStep.verifyEmail, "new@example.com"),
        ])
    func managed(scope: String, key: String, value: String) async throws {
        for owns in Self.owned {
            let decided = try await decide(
                scope, rules: [ScopeRule(scope: scope, mode: .managed)], owns: owns, metadata: ["identifier": value])
            let step = StepUpStep(order: 1, key: key, expirationDuration: StepUpStep.defaultDuration)
            #expect(decided.decision == .review(GrantTerms(mode: .singleUse, grantedFor: 0), steps: [step]))
            #expect(decided.newIdentifier?.canonical == value)
        }
    }

    @Test("A managed scope is rejected without a value or with a value of another kind")
    func managedWithout() async throws {
        let rule = ScopeRule(scope: ReservedScope.registerPhone, mode: .managed)
        for metadata in [nil, [:], ["identifier": "new@example.com"], ["identifier": ""]] as [[String: String]?] {
            let outcome = await Result { try await decide(rule.scope, rules: [rule], metadata: metadata) }
            guard case .invalidMetadata = outcome.refusal else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test("Only register scopes can be managed", arguments: ["pay", ReservedScope.writePassword])
    func managedOther(scope: String) async throws {
        await #expect(throws: Refusal.scopeNotAllowed) {
            try await decide(
                scope, rules: [ScopeRule(scope: scope, mode: .managed)], metadata: ["identifier": "+14155550100"])
        }
    }

    // MARK: No rule

    @Test("A scope without configuration, rule or registration is rejected")
    func noRule() async throws {
        let grant = StepUpDecision.grant(GrantTerms(mode: .singleUse, grantedFor: 0))
        let rule = ScopeRule(scope: "pay", mode: .direct([.emailAddress], grant))
        let owns: Set = [IdentifierType.emailAddress]
        #expect(try await decide(rules: [rule], owns: owns).decision == grant)
        await #expect(throws: Refusal.stepUpNotConfigured) { try await decide(rules: nil, owns: owns) }
        await #expect(throws: Refusal.scopeNotAllowed) { try await decide(rules: [], owns: owns) }
        await #expect(throws: Refusal.scopeNotAllowed) {
            try await decide(rules: [rule], registered: ["read"], owns: owns)
        }
        await #expect(throws: Refusal.scopeNotAllowed) {
            try await decide("Pay", rules: [rule], registered: ["Pay", "pay"], owns: owns)
        }
    }

    @Test(
        "An invalid scope is rejected with the name of the field",
        arguments: ["", "a b", "é", String(repeating: "s", count: 129)])
    func malformed(scope: String) async throws {
        let outcome = await Result { try await decide(scope, rules: []) }
        guard case .invalidField("scope", _) = outcome.refusal else {
            Issue.record("\(outcome)")
            return
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }

    fileprivate var value: Success? { try? get() }

    fileprivate var refusal: Refusal? {
        if case .failure(let error) = self { error as? Refusal } else { nil }
    }
}

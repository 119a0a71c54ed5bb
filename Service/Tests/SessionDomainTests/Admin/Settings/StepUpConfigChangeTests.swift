import Testing

@testable import SessionDomain

@Suite("Validation of a step-up configuration")
struct StepUpConfigChangeTests {
    private typealias Change = StepUpConfigChange

    private static let hook = "https://hooks.example.com/step-up"

    /// A valid configuration with one scope of each mode.
    private static func valid(_ change: (inout Change) -> Void = { _ in }) -> Change {
        var config = Change(
            jwksURL: "https://backend.example.com/jwks.json", stepKeys: ["kyc"],
            allowedScopes: [
                .init(
                    scope: "pay", mode: "direct",
                    direct: .init(
                        identifierTypes: ["phone_number"], status: "review", grantedFor: 300,
                        grantMode: "session-bound",
                        steps: [
                            StepUpStep(order: 2, key: "kyc", expirationDuration: 60),
                            StepUpStep(order: 1, key: "verify_sms", expirationDuration: 0),
                        ])),
                .init(scope: "read", mode: "delegated", delegationHook: hook),
                .init(scope: ReservedScope.registerPhone, mode: "managed"),
            ])
        change(&config)
        return config
    }

    /// The valid configuration with a change in the direct decision.
    private static func direct(_ change: (inout Change.Direct) -> Void) -> Change {
        valid { config in
            guard var direct = config.allowedScopes[0].direct else { return }
            change(&direct)
            config.allowedScopes[0].direct = direct
        }
    }

    private func validated(_ change: Change) throws(Refusal) -> StepUpConfig {
        try change.validated(egress: FakeEgress.unreachable, at: now)
    }

    @Test("A valid configuration is accepted unchanged, with its steps sorted by their order")
    func accepted() throws {
        let steps = [
            StepUpStep(order: 1, key: "verify_sms", expirationDuration: 0),
            StepUpStep(order: 2, key: "kyc", expirationDuration: 60),
        ]
        let review = StepUpDecision.review(GrantTerms(mode: .sessionBound, grantedFor: 300), steps: steps)
        let expected = StepUpConfig(
            jwksURL: "https://backend.example.com/jwks.json", stepKeys: ["kyc"],
            rules: [
                ScopeRule(scope: "pay", mode: .direct([.phoneNumber], review)),
                ScopeRule(scope: "read", mode: .delegated(hook: Self.hook)),
                ScopeRule(scope: ReservedScope.registerPhone, mode: .managed),
            ], at: now)
        #expect(try validated(Self.valid()) == expected)
    }

    @Test("Members that a status does not need are optional")
    func leftOut() throws {
        let block = try validated(
            Self.direct { $0 = .init(identifierTypes: ["email_address"], status: "block") })
        #expect(block.rules[0].mode == .direct([.emailAddress], .block))
        let grant = try validated(
            Self.direct { $0 = .init(identifierTypes: ["email_address"], status: "continue", grantMode: "single-use") })
        let terms = GrantTerms(mode: .singleUse, grantedFor: 0)
        #expect(grant.rules[0].mode == .direct([.emailAddress], .grant(terms)))
        #expect(try validated(Change(jwksURL: "", stepKeys: [], allowedScopes: [])).jwksURL == nil)
    }

    @Test("A direct scope may be repeated, for other users")
    func repeated() throws {
        let config = try validated(
            Self.valid { config in
                config.allowedScopes.append(config.allowedScopes[0])
                config.allowedScopes[3].direct?.identifierTypes = ["email_address"]
            })
        #expect(config.rules.map(\.scope) == ["pay", "read", ReservedScope.registerPhone, "pay"])
    }

    @Test("All limits are inclusive")
    func limits() throws {
        for change in [
            Self.direct { $0.grantedFor = 86_400 }, Self.direct { $0.steps?[0].expirationDuration = 86_400 },
            Self.direct { $0.steps?[0].order = 1000 }, Self.direct { $0.steps?[1].order = 0 },
            Self.valid { $0.stepKeys = ["kyc"] + (0..<49).map { "k\($0)" } },
            Self.valid { $0.allowedScopes[0].scope = String(repeating: "s", count: 128) },
            Self.valid { config in
                config.allowedScopes += (0..<97).map {
                    .init(scope: "s\($0)", mode: "delegated", delegationHook: Self.hook)
                }
            },
        ] { #expect(throws: Never.self) { try validated(change) } }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: String
        let change: StepUpConfigChange

        init(_ field: String, _ name: String, _ change: StepUpConfigChange) {
            testDescription = "\(field): \(name)"
            self.field = field
            self.change = change
        }
    }

    private static let whole: [Row] = [
        Row("jwks_url", "not https", valid { $0.jwksURL = "http://backend.example.com/" }),
        Row("jwks_url", "too long", valid { $0.jwksURL = "https://" + String(repeating: "a", count: 2048) }),
        Row("jwks_url", "none, with step keys", valid { $0.jwksURL = nil }),
        Row("jwks_url", "empty, with step keys", valid { $0.jwksURL = "" }),
        Row("step_keys", "one twice", valid { $0.stepKeys = ["kyc", "kyc"] }),
        Row("step_keys", "an empty one", valid { $0.stepKeys = ["kyc", ""] }),
        Row("step_keys", "a space in one", valid { $0.stepKeys = ["kyc", "a b"] }),
        Row("step_keys", "a built-in one", valid { $0.stepKeys = ["kyc", "verify_sms"] }),
        Row("step_keys", "the other built-in one", valid { $0.stepKeys = ["kyc", "verify_email"] }),
        Row("step_keys", "51", valid { $0.stepKeys = ["kyc"] + (0..<50).map { "k\($0)" } }),
        Row(
            "allowed_scopes", "101",
            valid { config in
                config.allowedScopes = (0..<101).map { .init(scope: "s\($0)", mode: "delegated", delegationHook: hook) }
            }),
    ]

    private static let scopes: [Row] = [
        Row("allowed_scopes[1].scope", "empty", valid { $0.allowedScopes[1].scope = "" }),
        Row("allowed_scopes[1].scope", "with a space", valid { $0.allowedScopes[1].scope = "a b" }),
        Row(
            "allowed_scopes[1].scope", "too long",
            valid { $0.allowedScopes[1].scope = String(repeating: "s", count: 129) }),
        Row("allowed_scopes[1].scope", "reserved", valid { $0.allowedScopes[1].scope = "prld:admin" }),
        Row("allowed_scopes[1].scope", "repeated", valid { $0.allowedScopes[1].scope = "pay" }),
        Row(
            "allowed_scopes[3].scope", "delegated twice",
            valid { $0.allowedScopes.append(.init(scope: "read", mode: "delegated", delegationHook: hook)) }),
        Row(
            "allowed_scopes[3].scope", "direct after delegated",
            valid { config in
                var entry = config.allowedScopes[0]
                entry.scope = "read"
                config.allowedScopes.append(entry)
            }),
        Row("allowed_scopes[1].mode", "unknown", valid { $0.allowedScopes[1].mode = "Delegated" }),
        Row(
            "allowed_scopes[1].mode", "managed without a register scope", valid { $0.allowedScopes[1].mode = "managed" }
        ),
        Row(
            "allowed_scopes[1].mode", "managed for the password",
            valid { config in
                config.allowedScopes[1].scope = ReservedScope.writePassword
                config.allowedScopes[1].mode = "managed"
            }),
        Row(
            "allowed_scopes[2].mode", "delegated for a register scope",
            valid { config in
                config.allowedScopes[2].mode = "delegated"
                config.allowedScopes[2].delegationHook = hook
            }),
        Row(
            "allowed_scopes[1].delegated.delegation_hook", "none", valid { $0.allowedScopes[1].delegationHook = nil }),
        Row(
            "allowed_scopes[1].delegated.delegation_hook", "not https",
            valid { $0.allowedScopes[1].delegationHook = "http://hooks.example.com/" }),
        Row("allowed_scopes[0].direct", "none", valid { $0.allowedScopes[0].direct = nil }),
    ]

    private static let decisions: [Row] = [
        Row("allowed_scopes[0].direct.identifier_types", "none", direct { $0.identifierTypes = [] }),
        Row("allowed_scopes[0].direct.identifier_types", "unknown", direct { $0.identifierTypes.append("username") }),
        Row(
            "allowed_scopes[0].direct.identifier_types", "repeated", direct { $0.identifierTypes += $0.identifierTypes }
        ),
        Row("allowed_scopes[3]", "a rule twice", valid { $0.allowedScopes.append($0.allowedScopes[0]) }),
        Row("allowed_scopes[0].direct.status", "unknown", direct { $0.status = "allow" }),
        Row("allowed_scopes[0].direct.grant_mode", "none", direct { $0.grantMode = nil }),
        Row("allowed_scopes[0].direct.grant_mode", "unknown", direct { $0.grantMode = "session-start" }),
        Row("allowed_scopes[0].direct.granted_for", "none", direct { $0.grantedFor = nil }),
        Row("allowed_scopes[0].direct.granted_for", "0", direct { $0.grantedFor = 0 }),
        Row("allowed_scopes[0].direct.granted_for", "negative", direct { $0.grantedFor = -1 }),
        Row("allowed_scopes[0].direct.granted_for", "above a day", direct { $0.grantedFor = 86_401 }),
        Row(
            "allowed_scopes[0].direct.granted_for", "negative, for a single use",
            direct {
                $0.grantMode = "single-use"
                $0.grantedFor = -1
            }),
        Row("allowed_scopes[0].direct.steps", "none", direct { $0.steps = nil }),
        Row("allowed_scopes[0].direct.steps", "empty", direct { $0.steps = [] }),
        Row(
            "allowed_scopes[0].direct.steps", "11",
            direct { $0.steps = (0..<11).map { StepUpStep(order: $0, key: "kyc", expirationDuration: 0) } }),
        Row("allowed_scopes[0].direct.steps[0].key", "unknown", direct { $0.steps?[0].key = "call" }),
        Row("allowed_scopes[0].direct.steps[1].key", "repeated", direct { $0.steps?[1].key = "kyc" }),
        Row("allowed_scopes[0].direct.steps[1].order", "repeated", direct { $0.steps?[1].order = 2 }),
        Row("allowed_scopes[0].direct.steps[0].order", "negative", direct { $0.steps?[0].order = -1 }),
        Row("allowed_scopes[0].direct.steps[0].order", "1001", direct { $0.steps?[0].order = 1001 }),
        Row(
            "allowed_scopes[0].direct.steps[0].expiration_duration", "negative",
            direct { $0.steps?[0].expirationDuration = -1 }),
        Row(
            "allowed_scopes[0].direct.steps[0].expiration_duration", "above a day",
            direct { $0.steps?[0].expirationDuration = 86_401 }),
    ]

    @Test("Each invalid configuration is rejected with the name of its field", arguments: whole + scopes + decisions)
    func refused(row: Row) {
        let refusal = #expect(throws: Refusal.self) { try validated(row.change) }
        guard case .invalidField(let field, _) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(field == row.field)
    }
}

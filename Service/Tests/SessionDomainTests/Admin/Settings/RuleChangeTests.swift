import Testing

@testable import SessionDomain

@Suite("Single step-up rules")
struct RuleChangeTests {
    private static let pay = ScopeRule(
        scope: "pay", mode: .direct([.emailAddress], .grant(GrantTerms(mode: .sessionBound, grantedFor: 300))))

    private static func config(_ rules: [ScopeRule]) -> StepUpConfig {
        StepUpConfig(jwksURL: nil, stepKeys: ["kyc"], rules: rules, at: now)
    }

    @Test("A rule has the same id until its content changes")
    func ids() {
        var changed = Self.pay
        changed.mode = .direct([.emailAddress], .grant(GrantTerms(mode: .sessionBound, grantedFor: 301)))
        #expect(Self.pay.id == Self.pay.id && Self.pay.id != changed.id)
        #expect(Self.pay.id.wholeMatch(of: /[A-Za-z0-9_-]{16}/) != nil)
    }

    @Test("A rule that was changed or removed is not found")
    func place() throws {
        let read = ScopeRule(scope: "read", mode: .delegated(hook: "https://hooks.example.com/"))
        #expect(try Self.config([Self.pay, read]).place(of: read.id) == 1)
        #expect(throws: Refusal.notFound("there is no such rule; it may have been changed or removed")) {
            try Self.config([Self.pay]).place(of: read.id)
        }
    }

    @Test("A rule is validated beside the others, and an error names its member")
    func beside() throws {
        let direct = StepUpConfigChange.Direct(
            identifierTypes: ["email_address"], status: "review", grantedFor: 60, grantMode: "session-bound",
            steps: [StepUpStep(order: 1, key: "kyc", expirationDuration: 0)])
        func validated(_ change: StepUpConfigChange.AllowedScope) throws(Refusal) -> ScopeRule {
            try change.validated(field: "rule", beside: Self.config([Self.pay]), egress: FakeEgress.unreachable)
        }
        #expect(try validated(.init(scope: "pay", mode: "direct", direct: direct)).scope == "pay")
        #expect(throws: Refusal.invalidField("rule.scope", "is used twice; only direct rules may repeat a scope")) {
            try validated(.init(scope: "pay", mode: "delegated", delegationHook: "https://hooks.example.com/"))
        }
        var unknown = direct
        unknown.steps?[0].key = "other"
        let problem = "must be verify_sms, verify_email, verify_passkey or one of step_keys"
        #expect(throws: Refusal.invalidField("rule.direct.steps[0].key", problem)) {
            try validated(.init(scope: "pay", mode: "direct", direct: unknown))
        }
    }
}

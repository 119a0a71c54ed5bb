import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Sentences about step-up rules")
struct RuleTextTests {
    private static func app() throws -> App {
        App(id: try #require(AppID("testapp")), name: "Shop", createdAt: Timestamp(seconds: 0))
    }

    private static func direct(_ types: [IdentifierType], _ decision: StepUpDecision) -> ScopeRule {
        ScopeRule(scope: "payments:write", mode: .direct(types, decision))
    }

    private static let rows: [(ScopeRule, String)] = [
        (
            direct(
                [.phoneNumber],
                .review(
                    GrantTerms(mode: .sessionBound, grantedFor: 300),
                    steps: [
                        StepUpStep(order: 1, key: StepUpStep.verifySMS, expirationDuration: 120),
                        StepUpStep(order: 2, key: "check_id", expirationDuration: 0),
                    ])),
            "payments:write needs a code by SMS within 2 minutes, then your step check_id within 10 minutes. Then it is in the "
                + "access tokens of the session for 5 minutes. The rule is for users with a phone number."
        ),
        (
            direct([.emailAddress, .phoneNumber], .grant(GrantTerms(mode: .profileBound, grantedFor: 3600))),
            "payments:write needs no further step. It is in the access tokens of all sessions of the user for 1 hour. The rule "
                + "is for users with an e-mail address or a phone number."
        ),
        (
            direct([.emailAddress], .grant(GrantTerms(mode: .singleUse, grantedFor: 0))),
            "payments:write needs no further step. It is in one access token, which lives 5 minutes. The rule is for users with "
                + "an e-mail address."
        ),
        (
            direct(
                [.emailAddress],
                .review(
                    GrantTerms(mode: .sessionBound, grantedFor: 300),
                    steps: [StepUpStep(order: 1, key: StepUpStep.verifyPasskey, expirationDuration: 60)])),
            "payments:write needs a passkey within 1 minute. Then it is in the access tokens of the session for 5 minutes. The "
                + "rule is for users with an e-mail address. Passkeys are not configured, so no user gets it."
        ),
        (
            direct([.emailAddress], .block),
            "No step-up grants payments:write. The rule is for users with an e-mail address."
        ),
        (
            ScopeRule(scope: "payments:write", mode: .delegated(hook: "https://b.example/hook")),
            "Your backend decides on each request for payments:write, at https://b.example/hook."
        ),
        (
            ScopeRule(scope: ReservedScope.registerPhone, mode: .managed),
            "A user can add a phone number, with a code that is sent to it. Before that comes a code to an identifier of the "
                + "user, unless the login is at most 10 minutes old."
        ),
    ]

    @Test("A rule is explained in words", arguments: rows)
    func meaning(rule: ScopeRule, expected: String) throws {
        var app = try Self.app()
        app.sessions.accessTokenLifetime = 300
        #expect(RuleText.meaning(of: rule, in: app) == expected)
    }

    @Test("Without a time for new logins, each registration begins with a code to an existing identifier")
    func noFreshLogin() throws {
        var app = try Self.app()
        app.freshLogin = 0
        let rule = ScopeRule(scope: ReservedScope.registerPhone, mode: .managed)
        #expect(RuleText.meaning(of: rule, in: app).hasSuffix("a code to an identifier of the user."))
    }

    @Test("With passkeys, a rule says who cannot complete a step, and that a passkey stands for a missing identifier")
    func passkeys() throws {
        var app = try Self.app()
        app.passkeys = PasskeyConfig()
        let step = StepUpStep(order: 1, key: StepUpStep.verifyPasskey, expirationDuration: 0)
        let terms = GrantTerms(mode: .sessionBound, grantedFor: 300)
        let meaning = RuleText.meaning(of: Self.direct([.emailAddress], .review(terms, steps: [step])), in: app)
        #expect(meaning.hasSuffix("with an e-mail address. A user without a passkey does not get it."))
        let managed = RuleText.meaning(of: ScopeRule(scope: ReservedScope.registerPhone, mode: .managed), in: app)
        #expect(
            managed.contains("a code to an identifier of the user, or a passkey of a user without identifiers, unless"))
    }

    @Test("A second rule of a scope is for the users whom the first one does not fit")
    func second() throws {
        var app = try Self.app()
        let (first, second) = (Self.direct([.phoneNumber], .block), Self.direct([.emailAddress], .block))
        app.stepUp = StepUpConfig(jwksURL: nil, stepKeys: [], rules: [first, second], at: app.createdAt)
        #expect(RuleText.meaning(of: first, in: app).hasSuffix("with a phone number."))
        #expect(RuleText.meaning(of: second, in: app).hasSuffix("with an e-mail address whom no rule above it fits."))
    }
}

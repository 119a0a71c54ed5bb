import Testing

@testable import SessionDomain

@Suite("Scopes are computed from live state for each token (R9)")
struct EffectiveScopesTests {
    private func app(_ scopes: [String], ruled: [String]? = nil) throws -> App {
        var app = App(id: try appID(), name: "test", createdAt: now)
        app.scopes = scopes
        app.stepUp = StepUpConfig(
            jwksURL: nil, stepKeys: [],
            rules: (ruled ?? scopes).map { ScopeRule(scope: $0, mode: .direct([.phoneNumber], .block)) }, at: now)
        return app
    }

    private func grant(_ scope: String, ends: Int = 60, session: String = "ses_1") throws -> Grant {
        Grant(
            id: "grt_" + scope, appID: try appID(), userID: "usr_1", sessionID: session, scope: scope,
            mode: .sessionBound, generation: 5, expiresAt: now + ends)
    }

    private func effective(_ app: App, login: [String], _ grants: [Grant]) throws -> EffectiveScopes {
        EffectiveScopes(app: app, session: try TestApp.session(scopes: login), grants: grants, now: now)
    }

    @Test("Scopes of login and grants are combined, sorted and distinct, with the expiry of the grants")
    func union() throws {
        let scopes = try effective(
            try app(["a", "b", "c"]), login: ["c", "a"], [try grant("b"), try grant("a", ends: 30)])
        #expect(scopes.scopes == ["a", "b", "c"])
        #expect(scopes.ends == [now + 60, now + 30])
    }

    @Test("A grant that does not cover the session adds neither scope nor expiry")
    func uncovered() throws {
        let scopes = try effective(
            try app(["a", "b"]), login: [], [try grant("a", ends: 0), try grant("b", session: "ses_2")])
        #expect(scopes.scopes == [])
        #expect(scopes.ends == [])
    }

    @Test("An unregistered scope is in no token, by login or by grant (R13)")
    func unregistered() throws {
        let scopes = try effective(try app(["a"]), login: ["a", "gone"], [try grant("lost")])
        #expect(scopes.scopes == ["a"])
        #expect(scopes.ends == [])
    }

    @Test("A scope without a rule is not granted, except by a login (R13)")
    func undecided() throws {
        let scopes = try effective(try app(["a", "b"], ruled: []), login: ["a"], [try grant("b")])
        #expect(scopes.scopes == ["a"])
    }
}

import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

/// What the commands of an operator change, apart from the terminal.
@Suite("Rules and domains of an operator", .eachStore)
struct OperatorRulesStory {
    /// A rule that grants a scope at once.
    private func rule(_ scope: String, seconds: Int = 300) -> StepUpConfigChange.AllowedScope {
        .init(
            scope: scope, mode: "direct",
            direct: .init(
                identifierTypes: ["email_address"], status: "continue", grantedFor: seconds,
                grantMode: "session-bound"))
    }

    @Test("Setting the rules of a scope registers it, and changes neither other rules nor their grants")
    func setRules() async throws {
        let world = try await ServiceWorld()
        let management = world.service.stepUpConfig
        for scope in ["reports:read", "pay"] {
            _ = try await management.setRules([rule(scope)], for: scope, app: world.appID)
        }
        #expect(try await management.scopes(of: world.appID) == ["reports:read", "pay"])
        let client = try await world.signedIn()
        for scope in ["reports:read", "pay"] { _ = try await client.requestStepUp(scope: scope) }
        #expect(try await client.scopes() == ["pay", "reports:read"])
        let config = try await management.setRules([rule("pay", seconds: 60)], for: "pay", app: world.appID)
        #expect(config.rules.map(\.scope) == ["reports:read", "pay"])
        try await client.invalidateSession()
        try await client.refresh()
        #expect(try await client.scopes() == ["reports:read"], "a changed rule ends the grants of its scope")
    }

    @Test("Removing the rules of a scope ends its grants, and keeps it registered")
    func removeRules() async throws {
        let world = try await ServiceWorld()
        let management = world.service.stepUpConfig
        _ = try await management.setRules([rule("pay")], for: "pay", app: world.appID)
        let client = try await world.signedIn()
        _ = try await client.requestStepUp(scope: "pay")
        #expect(try await management.removeRules(for: "pay", app: world.appID).rules == [])
        try await client.invalidateSession()
        try await client.refresh()
        #expect(try await client.scopes() == [])
        #expect(try await management.scopes(of: world.appID) == ["pay"])
        await #expect(throws: Refusal.notFound("there is no rule for this scope")) {
            try await management.removeRules(for: "pay", app: world.appID)
        }
    }

    // Proves: R13
    @Test("A request that a process decides by rules that another one has changed opens no challenge")
    func changedElsewhere() async throws {
        let world = try await ServiceWorld()
        let management = world.service.stepUpConfig
        _ = try await management.setRules([rule("pay")], for: "pay", app: world.appID)
        let client = try await world.signedIn()
        _ = try await client.requestStepUp(scope: "pay")
        // The directory of this process does not learn it.
        let denied = ScopeRule(scope: "pay", mode: .direct([.emailAddress], .block))
        _ = try await world.service.store.perform(UpdateApp(world.appID) { $0.stepUp?.rules = [denied] })
        let error = await #expect(throws: PreludeSessionError.self) { try await client.requestStepUp(scope: "pay") }
        #expect(error?.retryAfter == 5)
        world.clock.advance(by: .seconds(5))
        #expect(try await client.requestStepUp(scope: "pay").status == .blocked)
        try await client.invalidateSession()
        try await client.refresh()
        #expect(try await client.scopes() == [])
    }

    @Test("Invalid rules change nothing, not even the registered scopes")
    func invalidRules() async throws {
        let world = try await ServiceWorld()
        let management = world.service.stepUpConfig
        await #expect(throws: Refusal.self) {
            try await management.setRules([rule("pay", seconds: 0)], for: "pay", app: world.appID)
        }
        #expect(try await management.scopes(of: world.appID) == [])
        #expect(try await world.service.apps.app(world.appID).stepUp == nil)
    }

    @Test("A domain is added once, in lower case, to one app; a removed one is free again")
    func domains() async throws {
        let world = try await ServiceWorld()
        let apps = world.service.apps
        for _ in 1...2 {
            #expect(try await apps.addDomain("Session.Example.com", to: world.appID).domains == ["session.example.com"])
        }
        let other = try await apps.create(id: nil, name: "Other")
        await #expect(throws: Refusal.self) { try await apps.addDomain("session.example.com", to: other.id) }
        await #expect(throws: Refusal.self) { try await apps.addDomain("https://a.example.com", to: other.id) }
        #expect(try await apps.removeDomain("SESSION.example.com", from: world.appID).domains == [])
        #expect(try await apps.addDomain("session.example.com", to: other.id).domains == ["session.example.com"])
        await #expect(throws: Refusal.notFound("the app has no such domain")) {
            try await apps.removeDomain("session.example.com", from: world.appID)
        }
    }
}

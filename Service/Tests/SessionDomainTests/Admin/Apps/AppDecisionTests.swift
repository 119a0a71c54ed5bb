import Foundation
import SessionDomain
import Testing

@Suite("What changes of apps and keys write")
struct AppDecisionTests {
    private func app(_ scopes: String...) throws -> App {
        var app = App(id: try appID(), name: "a", createdAt: now)
        app.scopes = scopes
        app.stepUp = StepUpConfig(
            jwksURL: nil, stepKeys: [], rules: scopes.map { ScopeRule(scope: $0, mode: .direct([], .block)) }, at: now)
        return app
    }

    private func update(_ app: App?, _ change: @escaping @Sendable (inout App) throws -> Int) throws -> Decision<Int?> {
        try UpdateApp(try appID(), change).decide(FoundRows { $0.settings = app })
    }

    @Test("An app is inserted with its keys, unless the id is taken")
    func created() throws {
        let (app, keys) = (try app(), try TestApp.signingKeys.get())
        let intent = CreateApp(app, keys: keys)
        #expect(
            try intent.decide(FoundRows()) == Decision(true, [.insertApp(app)] + keys.map { .insertSigningKey($0) }))
        #expect(try intent.decide(FoundRows { $0.failures.add(.taken(.app(app.id))) }) == Decision(false))
    }

    @Test("A change of settings replaces the app and returns what it answers")
    func updated() throws {
        let old = try app("pay")
        var next = old
        next.name = "b"
        let decision = try update(old) { app in
            app.name = "b"
            return 7
        }
        #expect(decision == Decision(7, [.replaceApp(old, with: next)]))
        #expect(try update(nil) { _ in 7 } == Decision(nil))
        #expect(throws: Refusal.conflict("no")) { try update(old) { _ in throw Refusal.conflict("no") } }
    }

    @Test("A change that takes a scope away ends its step-ups, and no others (R13)")
    func scopes() throws {
        let old = try app("pay", "read")
        func ended(_ change: @escaping @Sendable (inout App) -> Void) throws -> Change? {
            let decision = try update(old) { app in
                change(&app)
                return 0
            }
            return decision.changes.count == 2 ? decision.changes[0] : nil
        }
        let kept = Change.deleteStepUpsExcept(scopes: ["read"], app: try appID())
        #expect(try ended { $0.scopes = ["read"] } == kept)
        #expect(try ended { $0.stepUp?.rules.removeAll { $0.scope == "pay" } } == kept)
        #expect(try ended { $0.stepUp = nil } == .deleteStepUpsExcept(scopes: [], app: try appID()))
        #expect(try ended { $0.scopes.append("more") } == nil)
    }

    @Test("A key is sealed again if it is still sealed as before, and keeps its present times")
    func resealed() throws {
        var old = try TestApp.signingKeys.get()[0]
        var new = old
        new.sealedPrivateKey = Data("new".utf8)
        let intent = ResealSigningKey(old, as: new)
        old.retiresAt = now + 9
        new.retiresAt = now + 9
        #expect(
            intent.decide(FoundRows { $0.signingKeys = [old] }) == Decision(true, [.replaceSigningKey(old, with: new)]))
        #expect(intent.decide(FoundRows { $0.signingKeys = [new] }) == Decision(false))
        #expect(intent.decide(FoundRows()) == Decision(false))
    }

    @Test("A rotation becomes one change per key, then its events; an unknown app has none")
    func rotated() throws {
        let keys = try TestApp.signingKeys.get().filter { $0.purpose == .access }
        var candidate = keys[0]
        candidate = StoredSigningKey(
            appID: candidate.appID, purpose: .access, keyID: "new", algorithm: .edDSA, sealedPrivateKey: Data(),
            createdAt: now)
        let rotation = KeyRotation(
            appID: try appID(), purpose: .access, reason: .emergency, policy: KeyRotationPolicy(), candidate: candidate,
            now: now, events: try TestApp.events())
        let expected = rotation.decide(keys, app: try app())
        let added = try #require(expected.added)
        let decision = try RotateSigningKeys(rotation).decide(
            FoundRows { facts in
                facts.settings = try app()
                facts.signingKeys = keys
            })
        #expect(
            decision
                == Decision(
                    expected,
                    keys.map { .deleteSigningKey($0) } + [.insertSigningKey(added)]
                        + rotation.events(of: expected).map { .append($0) }))
        #expect(RotateSigningKeys(rotation).decide(FoundRows { $0.signingKeys = keys }) == Decision(nil))
    }

    @Test("Another app with a domain refuses a change that takes it, and no other change")
    func domains() throws {
        var (old, other) = (try app(), App.defaults)
        (old.domains, other.domains) = (["shared.example.com"], ["shared.example.com", "taken.example.com"])
        let (app, beside) = (old, other)
        func change(_ change: @escaping @Sendable (inout App) -> Void) throws {
            _ = try UpdateApp(app.id, takingDomains: true, change).decide(
                FoundRows { ($0.settings, $0.apps) = (app, [app, beside]) })
        }
        try change { $0.signUp = false }
        #expect(throws: Refusal.self) { try change { $0.domains = ["taken.example.com"] } }
    }
}

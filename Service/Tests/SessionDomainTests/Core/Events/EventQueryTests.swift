import Foundation
import SessionDomain
import SessionTokens
import Testing

@Suite("Filters of events")
struct EventQueryTests {
    @Test(
        "A name filter is a name or a family",
        arguments: [
            ("login.failed", .exactly("login.failed")), ("login.*", .family("login")),
            ("user.session.*", .family("user.session")), ("management.*", .family("management")),
            ("session.refresh_token_reused", .exactly("session.refresh_token_reused")),
        ] as [(String, EventQuery.NameFilter)])
    func names(text: String, filter: EventQuery.NameFilter) throws {
        #expect(try EventQuery.NameFilter(text) == filter)
    }

    @Test(
        "Any other text is rejected with the name of the field",
        arguments: [
            "", "*", ".*", "login*", "login", "login.", ".login", "Login.failed", "a..b", "a b", "login.%", "é",
            "user.login",
            "user.created.*",
        ])
    func invalid(text: String) {
        #expect(throws: Refusal.self) { try EventQuery.NameFilter(text, field: "--name") }
        do {
            _ = try EventQuery.NameFilter(text, field: "--name")
        } catch {
            guard case .invalidField("--name", _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test(
        "A misspelled name is refused with the one that was meant",
        arguments: [
            ("user.sesion.created", "user.session.created"), ("logins.*", "login.*"), ("login", "login.*"),
            ("user.session", "user.session.*"),
        ])
    func misspelled(text: String, meant: String) {
        let refusal = #expect(throws: Refusal.self) { try EventQuery.NameFilter(text) }
        guard case .invalidField("name", let problem) = refusal else {
            Issue.record("\(refusal as Any)")
            return
        }
        #expect(problem.hasSuffix("; did you mean \(meant)?"))
    }

    @Test("The list of events has each name of the sources")
    func all() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/SessionDomain")
        var names: Set<String> = []
        for path in FileManager.default.enumerator(atPath: sources.path)?.compactMap({ $0 as? String }) ?? [] {
            guard path.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            names.formUnion(
                text.matches(of: /static let \w+ = (?:Event\.)?Name\(rawValue: "([a-z_.]+)"\)/).map { String($0.1) })
        }
        #expect(names == Set(Event.Name.all.map(\.rawValue)) && names.count == Event.Name.all.count)
    }

    @Test("A family contains its names, and no name that only begins alike")
    func family() {
        let filter = EventQuery.NameFilter.family("login")
        #expect(filter.matches(.init(rawValue: "login.failed")))
        #expect(filter.matches(.init(rawValue: "login.a.b")))
        for name in ["login", "logins.failed", "a.login.failed"] { #expect(!filter.matches(.init(rawValue: name))) }
    }

    @Test("A query selects by user, actor, name and time; from is included, until is not")
    func selection() throws {
        let event = try TestApp.events().make(.userCreated, ["user_id": "usr_1"])
        func query(_ change: (inout EventQuery) -> Void) throws -> Bool {
            var query = EventQuery(app: try appID(), limit: 1)
            change(&query)
            return query.matches(event)
        }
        #expect(try query { _ in })
        #expect(try query { $0.user = "usr_1" })
        #expect(try query { $0.user = "usr_2" } == false)
        #expect(try query { $0.actor = "mk_1" } == false)
        let acting = EventContext(actor: .init(.managementKey, id: "mk_1"))
        let done = Event(
            id: "evt_1", appID: try appID(), name: .userCreated, createdAt: now, data: [:], context: acting)
        #expect(EventQuery(app: try appID(), actor: "mk_1", limit: 1).matches(done))
        #expect(try query { $0.name = .family("user") })
        #expect(try query { $0.name = .exactly("user") } == false)
        #expect(try query { $0.from = now })
        #expect(try query { $0.from = now + 1 } == false)
        #expect(try query { $0.until = now + 1 })
        #expect(try query { $0.until = now } == false)
    }

    @Test("Events are kept as long as the app says; with a pending delivery at least 30 days", arguments: [1, 30, 400])
    func retention(days: Int) {
        let ends = Retention.ends(ofEventsKeptFor: days, now: now)
        #expect(ends.until == now - days * 86_400)
        #expect(ends.pendingUntil == now - max(days, 30) * 86_400)
    }
}

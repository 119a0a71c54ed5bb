import SessionDomain
import SessionTokens
import Testing

@Suite("Filters of events")
struct EventQueryTests {
    @Test(
        "A name filter is a name or a family",
        arguments: [
            ("login.failed", .exactly("login.failed")), ("login.*", .family("login")),
            ("user.session.*", .family("user.session")), ("login", .exactly("login")),
            ("session.refresh_token_reused", .exactly("session.refresh_token_reused")),
        ] as [(String, EventQuery.NameFilter)])
    func names(text: String, filter: EventQuery.NameFilter) throws {
        #expect(try EventQuery.NameFilter(text) == filter)
    }

    @Test(
        "Any other text is rejected with the name of the field",
        arguments: ["", "*", ".*", "login*", "login.", ".login", "Login.failed", "a..b", "a b", "login.%", "é"])
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

    @Test("A family contains its names, and no name that only begins alike")
    func family() {
        let filter = EventQuery.NameFilter.family("login")
        #expect(filter.matches(.init(rawValue: "login.failed")))
        #expect(filter.matches(.init(rawValue: "login.a.b")))
        for name in ["login", "logins.failed", "a.login.failed"] { #expect(!filter.matches(.init(rawValue: name))) }
    }

    @Test("A query selects by user, name and time; from is included, until is not")
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

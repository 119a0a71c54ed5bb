import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("What an operator did")
struct ActorPageTests {
    /// A form without fields that changes settings of the app.
    private static let change = ConsoleWorld.app + "/playground/allow"

    /// The links of a page to filtered audit trails.
    private static func trails(_ answer: Browser.Answer) -> [String] {
        answer.text.matches(of: /href="([^"]+events\?actor_id=[a-z0-9_]+)"/).map { String($0.1) }
    }

    @Test("The page of an operator leads to all trails with the operator's events, also after the account is removed")
    func account() async throws {
        let world = try await ConsoleWorld()
        var (sam, person) = try await world.signedIn(address: "sam@example.com")
        #expect(try await sam.post(Self.change).status == 303)
        #expect(try await sam.post("/console/operators/new", "address=op%40example.com&role=viewer&app=").status == 303)

        var (browser, _) = try await world.operatorBrowser()
        let page = "/console/actors/\(person.id)"
        #expect(try await browser.get("/console/operators/\(person.id)").text.contains("href=\"\(page)\">What this"))
        #expect(
            try await browser.get("/console/operators").text.contains(
                "href=\"\(page)\" aria-label=\"Events caused by sam@"))
        let homes = [ConsoleWorld.app, "/console", "/console/operators"]
        let paths = Set(homes.map { "\($0)/events?actor_id=\(person.id)" })
        let answer = try await browser.get(page)
        #expect(answer.status == 200 && Set(Self.trails(answer)) == paths, "\(answer.text)")
        #expect(answer.text.contains("What sam@example.com did"))

        let trail = try await browser.get("\(ConsoleWorld.app)/events?actor_id=\(person.id)")
        #expect(trail.text.contains(">management.app.updated</span>"))
        #expect(!trail.text.contains(">management.app.created</span>"))
        #expect(trail.text.contains("name=\"actor_id\" value=\"\(person.id)\""))

        try await world.service.operators.remove(person.id)
        let later = try await browser.get(page)
        #expect(later.text.contains("What sam@example.com did") && Set(Self.trails(later)) == paths)
    }

    @Test("A management key has the same page, and its name is a link in the trail and escaped")
    func key() async throws {
        let world = try await ConsoleWorld()
        let markup = "<img src=x>"
        var (browser, key) = try await world.operatorBrowser(app: AppID("testapp"), name: markup)
        #expect(try await browser.post(Self.change).status == 303)
        let filtered = "\(ConsoleWorld.app)/events?actor_id=\(key.id)"
        let shown = "<a href=\"\(filtered)\"><bdi>&lt;img src=x&gt;</bdi></a>"
        #expect(try await browser.get(ConsoleWorld.app + "/events").text.contains(shown))
        #expect(try await browser.get(ConsoleWorld.app).text.contains(shown))
        let keys = try await browser.get(ConsoleWorld.app + "/keys").text
        #expect(keys.contains("href=\"\(filtered)\" aria-label=\"Events caused by &lt;img src=x&gt;\""))

        #expect(try await browser.get("/console/actors/\(key.id)").status == 403, "a key of one app sees one app")
        (browser, _) = try await world.operatorBrowser()
        let page = try await browser.get("/console/actors/\(key.id)")
        #expect(Self.trails(page) == [filtered] && page.text.contains("&lt;img src=x&gt;"))
        #expect(!page.text.contains(markup))
    }

    @Test("An unknown actor has no event, and a text that is no id is refused")
    func unknown() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.get("/console/actors/usr_none").text.contains("There is no event of this actor"))
        #expect(try await browser.get("/console/actors/a~b").status == 400)
    }

    @Test("An export has the events of the actor only, and the event about it names the filter")
    func export() async throws {
        let world = try await ConsoleWorld()
        let (_, person) = try await world.signedIn(address: "sam@example.com")
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.post(Self.change).status == 303)
        let (_, events) = try await exported("actor_id=\(person.id)", &browser)
        #expect(events.isEmpty)
        let key = try #require(try await world.service.store.managementKeys().first { $0.name == "Grace" })
        let (link, changes) = try await exported("actor_id=\(key.id)&name=management.app.*", &browser)
        #expect(link.contains("actor_id=\(key.id)") && changes.count == 1)
        #expect(changes.first?.contains("management.app.updated") == true)
        let reported = try await world.events().first { $0.name == .eventsExported }
        #expect(
            reported?.data["filters"] == .object(["actor_id": .string(key.id), "name": .string("management.app.*")]))
    }

    /// The link to the file of a filtered trail, and its lines. A trail without events has no link.
    private func exported(_ query: String, _ browser: inout Browser) async throws -> (link: String, lines: [Substring])
    {
        let page = try await browser.get(ConsoleWorld.app + "/events?" + query)
        guard let match = page.text.firstMatch(of: /href="([^"]+export[^"]+jsonl)"/) else { return ("", []) }
        let link = String(match.1).replacing("&amp;", with: "&")
        return (link, try await browser.get(link).text.split(separator: "\n"))
    }
}

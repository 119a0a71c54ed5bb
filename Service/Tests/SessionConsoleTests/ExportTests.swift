import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Exports of the console")
struct ExportTests {
    private static let export = ConsoleWorld.app + "/events/export"

    private func fill(_ world: ConsoleWorld, _ count: Int) async throws {
        let factory = EventFactory(
            appID: try #require(AppID("testapp")), environment: world.service.environment,
            context: EventContext(ip: "192.0.2.9", userAgent: "=cmd|' /C calc'!A0"))
        for start in stride(from: 0, to: count, by: 100) {
            try await world.service.store.perform(
                AppendEvents(
                    (start..<min(start + 100, count)).map {
                        factory.make(.loginFailed, ["number": .int(Int64($0)), "reason": "say \"no\""])
                    }))
        }
    }

    @Test("The audit trail is exported with its filters, completely, in both formats")
    func events() async throws {
        let world = try await ConsoleWorld()
        try await fill(world, 1234)
        var (browser, _) = try await world.operatorBrowser(role: .read)
        let page = try await browser.get(ConsoleWorld.app + "/events?name=login.*")
        let path = Self.export + "?name=login.%2A&format="
        #expect(page.text.contains(path.replacing("&", with: "&amp;") + "csv"))

        let lines = try await browser.get(path + "jsonl")
        #expect(lines.head.headerFields[.contentType] == "application/jsonl")
        #expect(lines.head.headerFields[.contentDisposition] == "attachment; filename=\"events-testapp.jsonl\"")
        let numbers = try lines.text.split(separator: "\n").map { line in
            guard case .object(let event) = try TokenJSON.decode(JSONValue.self, from: Data(line.utf8)),
                case .object(let data)? = event["data"], case .int(let number)? = data["number"]
            else { return Int64(-1) }
            return number
        }
        #expect(numbers == (0..<1234).reversed().map { Int64($0) })

        let csv = try await browser.get(path + "csv")
        let rows = csv.text.components(separatedBy: "\r\n")
        #expect(rows.count == 1234 + 2 && rows.last == "")
        #expect(rows[0].hasPrefix("\"id\",\"created_at\",\"name\",\"user_id\","))
        #expect(rows[1].contains("\"'=cmd|' /C calc'!A0\"") && rows[1].contains(#""{""number"":1233,"#))
        #expect(csv.head.headerFields[.contentType] == "text/csv; charset=utf-8; header=present")

        let reported = try await world.events().filter { $0.name == .eventsExported }
        #expect(reported.map { $0.data["format"] } == ["csv", "jsonl"])
        #expect(reported.first?.data["filters"] == .object(["name": "login.*"]))
        #expect(reported.first?.context.actor?.name == "Grace")
    }

    @Test("Events that are deleted while the file is read neither end it nor appear twice")
    func deletion() async throws {
        let world = try await ConsoleWorld()
        try await fill(world, 600)
        world.clock.advance(by: .seconds(10))
        try await fill(world, 600)
        let app = try #require(AppID("testapp"))
        var pages = try await world.service.exports.events(
            EventQuery(app: app, name: .exactly("login.failed"), limit: 1), filters: [:], format: "csv")
        var read = try await pages.next()
        read += try await pages.next()
        #expect(read.count == 1000)
        let last = try #require(read.last)
        _ = try await world.service.store.deleteEvents(
            of: app, until: last.createdAt, pendingUntil: last.createdAt, limit: 10_000)
        read += try await pages.next()
        #expect(try await pages.next().isEmpty)
        #expect(Set(read.map(\.id)).count == 1000)
    }

    @Test("Six exports of one app run at a time on a node, and each frees its place when it is no longer read")
    func places() async throws {
        let world = try await ConsoleWorld()
        try await fill(world, 10)
        var (browser, _) = try await world.operatorBrowser()
        let query = EventQuery(app: try #require(AppID("testapp")), limit: 1)
        var running: [EventPages] = []
        for _ in 0..<6 {
            running.append(try await world.service.exports.events(query, filters: [:], format: "csv"))
        }
        let refused = try await browser.get(Self.export + "?format=csv")
        #expect(refused.status == 429 && refused.head.headerFields[.retryAfter] == "10")
        running.removeLast()
        for _ in 0..<2 { #expect(try await browser.get(Self.export + "?format=csv").status == 200) }
        #expect(try await world.events().count { $0.name == .eventsExported } == 8)
    }

    @Test(
        "Only a page of the console starts an export",
        arguments: [("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false)])
    func site(_ site: String, isAllowed: Bool) async throws {
        let world = try await ConsoleWorld()
        try await fill(world, 1)
        var (browser, _) = try await world.operatorBrowser()
        browser.site = site
        let answer = try await browser.get(Self.export + "?format=jsonl")
        #expect(answer.status == (isAllowed ? 200 : 403))
        #expect(try await browser.send(.head, Self.export + "?format=jsonl", nil).text.isEmpty)
        #expect(try await world.events().contains { $0.name == .eventsExported } == isAllowed)
    }

    @Test(
        "No cell is a formula, whatever separator a spreadsheet takes",
        arguments: [
            ("=1+1", "'=1+1"), ("x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"), ("x;\"=1", "x;\"\"'=1"),
            ("a\n@b", "a\n'@b"), ("\u{FEFF}-1", "\u{FEFF}'-1"), ("\t1", "'\t1"), ("a=b-c", "a=b-c"), ("a; b", "a; b"),
        ])
    func formulas(_ text: String, _ cell: String) {
        #expect(CSV.cell(text) == "\"" + cell + "\"")
    }

    @Test("Events of the same millisecond that stay are read once")
    func sameTime() async throws {
        let world = try await ConsoleWorld()
        let app = try #require(AppID("testapp"))
        try await fill(world, 700)
        var pages = try await world.service.exports.events(
            EventQuery(app: app, name: .exactly("login.failed"), limit: 1), filters: [:], format: "csv")
        var read = try await pages.next()
        let last = try #require(read.last)
        _ = try await world.service.store.deleteEvents(
            of: app, until: last.createdAt, pendingUntil: last.createdAt, limit: 250)
        read += try await pages.next()
        read += try await pages.next()
        #expect(Set(read.map(\.id)).count == read.count)
    }

    @Test(
        "A wrong filter or format is refused before anything is reported",
        arguments: ["", "?format=xml", "?format=csv&from=yesterday", "?format=csv&name=a-b"])
    func invalid(query: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.get(Self.export + query).status == 400)
        #expect(try await world.events().allSatisfy { $0.name != .eventsExported })
    }

    @Test("Events of the service are exported with a key for all apps only")
    func ofService() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.get("/console/events/export?format=jsonl")
        #expect(answer.status == 200 && answer.text.contains("management.console.signed_in"))
        (browser, _) = try await world.operatorBrowser(app: AppID("testapp"))
        #expect(try await browser.get("/console/events/export?format=csv").status == 403)
    }

    @Test("Each page of events has downloads, and those of operators link to their pages")
    func downloads() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await world.signedIn(.admin)
        _ = try await world.service.users.create(
            app: #require(AppID("testapp")),
            identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")])
        for path in ["/console/events", "/console/operators/events", ConsoleWorld.app + "/events"] {
            let page = try await browser.get(path)
            let links = page.text.matches(of: /href="([^"]+\/export[^"]*)"/).map { String($0.1) }
            #expect(links.count == 2, "\(path)")
            for link in links {
                let file = try await browser.get(link.replacing("&amp;", with: "&"))
                let name = try #require(file.head.headerFields[.contentDisposition])
                #expect(file.status == 200 && name.contains(/"events-[a-z]+\.(csv|jsonl)"/), "\(link): \(name)")
            }
        }
        let text = try await browser.get("/console/operators/events").text
        #expect(text.contains("href=\"/console/operators/\(person.id)\" class=\"mono\""))
    }

    @Test("A user's file has everything but secrets, and the export is an event")
    func user() async throws {
        let world = try await ConsoleWorld()
        try await world.world.signIn(try world.world.client(), as: "ada@example.com")
        let app = try #require(AppID("testapp"))
        let user = try await world.service.users.users(app: app, limit: 1).elements[0]
        _ = try await world.service.users.setPassword(
            "staple of the better kind", user: user.id, app: app, ending: nil)
        var (browser, _) = try await world.operatorBrowser(role: .read)
        let path = ConsoleWorld.app + "/users/\(user.id)"
        #expect(try await browser.get(path).text.contains("href=\"\(path)/export\""))
        let answer = try await browser.get(path + "/export")
        #expect(answer.head.headerFields[.contentDisposition] == "attachment; filename=\"\(user.id).json\"")
        #expect(answer.head.headerFields[.cacheControl] == "no-store")
        let file = try TokenJSON.decode([String: JSONValue].self, from: Data(answer.text.utf8))
        guard case .array(let events)? = file["events"], case .object(let newest)? = events.first else {
            return #expect(Bool(false), "no events")
        }
        #expect(newest["name"] == "management.user.exported")
        #expect(answer.text.contains("ada@example.com") && answer.text.contains("user.session.created"))
        for text in ["argon2", "hash", "thumbprint", "sealed"] { #expect(!answer.text.contains(text), "\(text)") }
        #expect(try await browser.get(ConsoleWorld.app + "/users/usr_none/export").status == 404)
    }

    @Test(
        "No cell of a table is calculated by a spreadsheet",
        arguments: [
            ("=1+1", "\"'=1+1\""), ("+1", "\"'+1\""), ("-1", "\"'-1\""), ("@x", "\"'@x\""), ("\tx", "\"'\tx\""),
            ("＝1", "\"'＝1\""), ("a=1", "\"a=1\""), ("say \"no\"", "\"say \"\"no\"\"\""), ("", "\"\""),
            ("a,b\nc", "\"a,b\nc\""),
        ])
    func cells(text: String, cell: String) {
        #expect(CSV.cell(text) == cell)
    }
}

import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Filters of the console")
struct FilterTests {
    private static let users = ConsoleWorld.app + "/users"
    private static let events = ConsoleWorld.app + "/events"

    @Test(
        "An invalid filter of users shows no user",
        arguments: [
            ("status=foo", "Status must be active or inactive or suspended."),
            ("cursor=zz", "Cursor is not a filter of"),
            ("statsu=active", "did you mean status?"),
            ("offset=abc", "must be a number from 0 to 1000000000."), ("offset=-1", "must be a number from 0"),
            ("offset=9223372036854775808", "must be a number from 0"),
            ("status=&status=suspended", "Status must not be repeated."),
        ])
    func users(query: String, message: String) async throws {
        let world = try await ConsoleWorld()
        _ = try await world.service.users.create(
            app: world.world.appID, identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")])
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.get(Self.users + "?" + query)
        #expect(answer.status == 400 && answer.text.contains(message), "\(answer.text)")
        #expect(!answer.text.contains("ada@example.com"))
        #expect(try await browser.get(Self.users + "?q=&status=").text.contains("ada@example.com"))
        #expect(try await browser.get(Self.users + "?status=active&done=saved").text.contains("ada@example.com"))
        let end = try await browser.get(Self.users + "?offset=25").text
        #expect(end.contains("There are no further users") && end.contains("The list has 1 user."))
    }

    @Test(
        "An invalid filter of sessions, and of apps, shows none",
        arguments: [
            ("device_typ=mobile", "did you mean device_type?"), ("offset=abc", "must be a number from 0"),
            ("offset=-1", "must be a number from 0"), ("offset=0&offset=0", "must not be repeated"),
        ])
    func sessions(query: String, message: String) async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        try await world.world.signIn(try world.world.client(), as: "ada@example.com")
        let user = try await world.service.users.user(
            with: CanonicalIdentifier(type: "email_address", value: "ada@example.com"), app: app)
        var (browser, _) = try await world.operatorBrowser()
        let page = Self.users + "/" + user.id
        let invalid = try await browser.get(page + "?" + query).text
        #expect(invalid.contains(message) && !invalid.contains("/sessions/ses_"))
        #expect(try await browser.get(page).text.contains("/sessions/ses_"))
        let end = try await browser.get(page + "?offset=25").text
        #expect(end.contains("There are no further sessions") && end.contains("The list has 1 session."))
        guard !query.hasPrefix("device") else { return }
        let apps = try await browser.get("/console/apps?" + query)
        #expect(apps.status == 400 && apps.text.contains(message), "\(apps.text)")
        var (own, _) = try await world.operatorBrowser(app: app)
        #expect(try await own.get("/console/apps?" + query).status == 400)
        #expect(try await browser.get("/console/apps?offset=25").text.contains("There are no further apps"))
    }

    @Test(
        "An invalid filter of events is named by its label",
        arguments: [
            ("name=user.sesion.created", "did you mean user.session.created?"),
            ("name=foo", "Event must be the name of"),
            ("from=yesterday", "From (UTC) must be a time in UTC"), ("user_id=%2F", "User id must be an id."),
            ("actor_id=%2F", "Actor id must be an id."),
            ("nmae=login.*", "did you mean name?"),
            ("from=2026-02-01T00:00&until=2026-01-01T00:00", "Until (UTC) must be later"),
        ])
    func events(query: String, message: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        for path in [Self.events, "/console/events", "/console/operators/events"] {
            let answer = try await browser.get(path + "?" + query)
            #expect(answer.status == 400 && answer.text.contains(message), "\(answer.text)")
            #expect(try await browser.get(path + "/export?format=csv&" + query).status == 400)
        }
    }

    @Test(
        "A time is that of a field of the browser, in UTC, or RFC 3339",
        arguments: [
            "2099-01-01T00%3A00", "2099-01-01T00%3A00%3A01", "2099-01-01T00%3A00%3A00Z", "2099-01-01T00%3A00%3A00.500",
        ])
    func times(text: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        _ = try await world.service.users.create(
            app: world.world.appID, identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")])
        let later = try await browser.get(Self.events + "?name=&user_id=&until=&from=" + text)
        #expect(later.status == 200 && later.text.contains("No event matches"), "\(later.text)")
        let shown = text.replacing("%3A", with: ":").replacing("Z", with: "")
        #expect(later.text.contains(#"name="from" value="\#(shown)""#))
        let earlier = try await browser.get(Self.events + "?until=" + text)
        #expect(earlier.text.contains(">user.created</span>"))
        #expect(earlier.text.contains("<option value=\"user.session.created\">"))
    }
}

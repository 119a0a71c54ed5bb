import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionTokens
import Synchronization
import Testing

@testable import SessionConsole
@testable import SessionDomain

@Suite("Delivery in the console")
struct DeliveryTests {
    private static let page = ConsoleWorld.app + "/delivery"
    private static let smtp = "type=smtp&host=mail.example.com&username=shop&from=a%40example.com&port=&tls=&auth="

    private func delivery(in world: ConsoleWorld) async throws -> DeliveryConfig? {
        try await world.service.apps.app(try #require(AppID("testapp"))).delivery
    }

    @Test("A secret is stored and kept, and no page and no event shows it")
    func secret() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.change(Self.page + "/email/1", Self.smtp + "&secret=s3cret-one").status == 303)
        let stored = try #require(try await delivery(in: world)?.email[0].sealedSecret)
        let form = try await browser.get(Self.page + "/email/1")
        #expect(form.text.contains("A secret is set.") && !form.text.contains("s3cret-one"))
        // An empty field keeps it, also with another sender.
        let renamed = Self.smtp.replacing("a%40", with: "b%40") + "&secret="
        #expect(try await browser.change(Self.page + "/email/1", renamed).status == 303)
        #expect(try await delivery(in: world)?.email[0].sealedSecret == stored)
        #expect(try await delivery(in: world)?.email[0].settings.from == "b@example.com")
        // Another server must not get it.
        let moved = Self.smtp.replacing("mail.example", with: "thief.example") + "&secret="
        let refused = try await browser.change(Self.page + "/email/1", moved)
        #expect(refused.status == 400 && refused.text.contains("Password is required with username."))
        #expect(try await delivery(in: world)?.email[0].settings.host == "mail.example.com")
        let port = Self.smtp.replacing("port=", with: "port=99999") + "&secret=s3cret-two"
        let wrong = try await browser.change(Self.page + "/email/1", port)
        #expect(wrong.status == 400 && !wrong.text.contains("s3cret-two"))
        #expect(try await !browser.get(Self.page).text.contains("s3cret"))
        for event in try await world.events() { #expect(!"\(event)".contains("s3cret")) }
    }

    @Test(
        "A wrong setting is shown at its field, and what was entered stays",
        arguments: [
            ("host=mail.example.com%3A25&from=a%40example.com", "host", "Server must be the name of a server"),
            ("host=mail.example.com&from=nobody", "from", "Sender must be a mail address"),
            ("host=mail.example.com&from=a%40example.com&port=http", "port", "Port must be a whole number."),
            ("host=mail.example.com&from=a%40example.com&port=465&tls=starttls", "tls", "TLS must be implicit"),
        ])
    func problems(fields: String, field: String, message: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.change(Self.page + "/email/1", "type=smtp&" + fields)
        #expect(answer.status == 400 && answer.text.contains(message), "\(answer.text)")
        #expect(answer.text.contains("id=\"route-\(field)-error\""))
        #expect(answer.text.contains("value=\"mail.example.com"))
        #expect(try await delivery(in: world) == nil)
    }

    @Test("A second route is tried after the first one, and takes its place when that is removed")
    func places() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        for place in 1...2 {
            let url = "https%3A%2F%2Fhooks.example.com%2F\(place)"
            #expect(try await browser.change(Self.page + "/sms/\(place)", "type=webhook&url=" + url).status == 303)
        }
        #expect(try await browser.get(Self.page + "/sms/3").status == 404)
        let removal = Self.page + "/sms/2/remove"
        let seen = "version=" + (try await browser.get(removal).value("version") ?? "")
        #expect(try await browser.post(removal).status == 409)
        #expect(try await browser.post(removal, seen).status == 303)
        // The same form again must not remove the other route, which may have moved to this place.
        #expect(try await browser.post(Self.page + "/sms/1/remove", seen).status == 409)
        let stale = try await browser.post(
            Self.page + "/sms/1", "type=webhook&url=https%3A%2F%2Fhooks.example.com%2F3&" + seen)
        #expect(stale.status == 409 && stale.text.contains("The routes have changed meanwhile"))
        #expect(seen == "version=" + (stale.value("version") ?? ""))
        #expect(try await browser.post(removal, seen).status == 409)
        #expect(try await delivery(in: world)?.sms.map(\.settings.url) == ["https://hooks.example.com/1"])
        let confirmation = try await browser.get(Self.page + "/sms/1/remove")
        #expect(confirmation.text.contains("logins by SMS are rejected"))
        #expect(try await browser.change(Self.page + "/sms/1/remove").status == 303)
        #expect(try await delivery(in: world) == nil)
        #expect(try await browser.get(Self.page + "/email/2").status == 404)
        #expect(try await browser.get(Self.page + "/fax/1").status == 404)
    }

    @Test(
        "A test shows the result of each route, is written into the audit trail, and is limited to ten in ten minutes")
    func test() async throws {
        let limits = ReachedLimits()
        let world = try await ConsoleWorld().node { $0.observer = limits }
        world.world.operatorEndpoints.serve("https://good.example.com/", json: #"{"id":"m-1"}"#)
        world.world.operatorEndpoints.serve("https://bad.example.com/", json: #"{"error":"sender"}"#, status: 422)
        var (browser, _) = try await world.operatorBrowser()
        for (place, host) in [(1, "good"), (2, "bad")] {
            let form = "type=webhook&url=https%3A%2F%2F\(host).example.com%2F"
            #expect(try await browser.change(Self.page + "/email/\(place)", form).status == 303)
        }
        let wrong = try await browser.post(Self.page + "/email/test", "identifier=ada")
        #expect(wrong.status == 400 && wrong.text.contains("id=\"test-email-identifier-error\""))
        for number in 1...10 {
            let answer = try await browser.post(Self.page + "/email/test", "identifier=ada%40example.com")
            #expect(answer.status == 200, "\(number)")
            #expect(answer.text.contains("Route 1, webhook, has accepted the test message."))
            #expect(answer.text.contains("m-1"))
            #expect(answer.text.contains("Route 2, webhook, has not accepted the test message. "))
            #expect(answer.text.contains("HTTP 422.") && answer.text.contains("use a sender that the account may use"))
        }
        let events = try await world.events().filter { $0.name == .deliveryTested }
        #expect(events.count == 10 && events.allSatisfy { $0.data["identifier"] == "a***@example.com" })
        #expect(events.first?.data["routes"] == .array(["webhook", "webhook"]))
        let sent = world.world.operatorEndpoints.requests.count
        let limited = try await browser.post(Self.page + "/email/test", "identifier=ada%40example.com")
        #expect(limited.head.headerFields[.retryAfter] != nil)
        #expect(limits.names == [.deliveryTests])
        #expect(limited.status == 429 && world.world.operatorEndpoints.requests.count == sent)
        world.clock.advance(by: .seconds(601))
        let later = try await browser.post(Self.page + "/email/test", "identifier=ada%40example.com")
        #expect(later.status == 200)
    }

    @Test("An operator of one app learns nothing about a route of the service but whether it works")
    func routeOfService() {
        let failure = SendingFailure(.authentication, "535 alice is unknown at 10.0.0.7")
        for result in [SendingResult.accepted(reference: "queued at mail.internal"), .failed(failure)] {
            let report = RouteReport(
                steps: [.init(.connection, "connected to mail.internal:25")], result: result, remedy: "ask alice")
            func html(_ showsDetails: Bool) -> String {
                let attempt = DeliveryTester.Attempt(route: "smtp", report: report)
                return HTML.document(
                    DeliveryTestForm.html(
                        .init(
                            channel: .email, recipient: "ada@example.com", attempts: [attempt],
                            showsDetails: showsDetails)))
            }
            for secret in ["mail.internal", "alice", "10.0.0.7"] where html(true).contains(secret) {
                #expect(!html(false).contains(secret), "\(secret)")
            }
            #expect(html(true).contains("mail.internal") && html(false).contains("This route belongs to the service."))
            #expect(html(false).contains(result.failure == nil ? "has accepted" : "has not accepted"))
        }
    }

    @Test("Without a route there is no test, and the page says what is missing")
    func nothing() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let page = try await browser.get(Self.page)
        #expect(page.text.contains("Neither this app nor the service has a route for SMS"))
        #expect(!page.text.contains("test-sms"))
        let answer = try await browser.post(Self.page + "/sms/test", "identifier=%2B14155550100")
        #expect(answer.status == 409 && answer.text.contains("o delivery by SMS is configured"))
    }
}

/// The limits that a node has reported.
private final class ReachedLimits: ServiceObserver {
    private let found = Mutex<[LimitName]>([])

    var names: [LimitName] { found.withLock { $0 } }

    func observe(_ occurrence: Occurrence) {
        if case .limitReached(let name) = occurrence { found.withLock { $0.append(name) } }
    }
}

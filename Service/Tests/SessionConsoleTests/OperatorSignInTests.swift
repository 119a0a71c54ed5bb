import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Sign-in of operators with an account")
struct OperatorSignInTests {
    @Test("An operator signs in with a code of a mail, and the session is one of the operator app")
    func code() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await world.signedIn(.admin)
        #expect(try await browser.get("/console").text.contains("grace@example.com"))
        let sessions = try await world.service.operators.sessions(of: person.id)
        #expect(sessions.count == 1)
        #expect(browser.cookie?.hasPrefix("__Host-prelude_console=") == true)
        #expect(try await browser.get("/console/operators/\(person.id)").text.contains("Active sessions"))
    }

    // Proves: C10
    @Test("An operator signs in with a password, and a wrong one gets the same answer as an unknown address")
    func password() async throws {
        let world = try await ConsoleWorld()
        let person = try await world.invite(password: ConsoleWorld.password)
        var browser = Browser(world: world, host: "console.test")
        var answers: Set<String> = []
        for (address, password) in [
            (person.name, "wrong horse battery"), ("nobody@example.com", ConsoleWorld.password),
            ("nobody@example.com", "wrong horse battery"),
        ] {
            let answer = try await browser.signIn(address, password: password)
            #expect(answer.status == 401 && answer.cookie == nil)
            answers.insert(answer.text.replacing(address, with: "ADDRESS"))
        }
        #expect(answers.count == 1)
        #expect(try await browser.signIn(person.name, password: ConsoleWorld.password).status == 303)
        #expect(try await browser.get("/console").status == 200)
    }

    // Proves: C10
    @Test("The answer to an unknown address is that to a known one, and no code is sent")
    func unknown() async throws {
        let world = try await ConsoleWorld()
        _ = try await world.invite()
        _ = try await world.invite(address: "suspended@example.com")
        let suspended = try await world.service.operators.find(address: "suspended@example.com")
        try await world.service.operators.setStatus(.suspended, of: suspended.id)
        var pages: [String] = []
        for address in ["grace@example.com", "nobody@example.com", "suspended@example.com"] {
            var browser = Browser(world: world, host: "console.test")
            let page = try await browser.askForCode(address)
            #expect(page.status == 200)
            pages.append(
                page.text.replacing(page.value("verification") ?? "?", with: "TOKEN")
                    .replacing(address, with: "ADDRESS"))
            let wrong = try await browser.enter("000000", of: page)
            #expect(wrong.status == 400 || wrong.status == 401)
            pages[pages.count - 1] += wrong.text.replacing(page.value("verification") ?? "?", with: "TOKEN")
                .replacing(address, with: "ADDRESS")
        }
        #expect(Set(pages).count == 1)
        _ = try await world.code(for: "grace@example.com")
        // A suspended operator learns the status by the right code.
        #expect(Set(world.world.mailbox.messages.map(\.to)) == ["grace@example.com", "suspended@example.com"])
    }

    // Proves: C10
    @Test("Wrong codes of an operator are limited, as those of users are, and failures are events")
    func limits() async throws {
        let world = try await ConsoleWorld()
        _ = try await world.invite()
        var browser = Browser(world: world, host: "console.test")
        let page = try await browser.askForCode("grace@example.com")
        let right = try await world.code(for: "grace@example.com")
        let wrong = right == "000000" ? "000001" : "000000"
        for _ in 0..<5 { #expect(try await browser.enter(wrong, of: page).status != 303) }
        #expect(try await browser.enter(right, of: page).status != 303)
        #expect(browser.cookie == nil)
        let failures = try await world.events().filter { $0.name == .loginFailed }
        #expect(failures.count >= 5 && failures.allSatisfy { $0.appID == .operators && $0.context.ip == "192.0.2.1" })
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try await browser.askForCode("grace@example.com").status) }
        #expect(statuses.last == 429)
    }

    // Proves: C10
    @Test("Strangers close an address for others, not for a browser that has signed in before, and an admin opens it")
    func closed() async throws {
        let world = try await ConsoleWorld()
        let person = try await world.invite(password: ConsoleWorld.password)
        var known = Browser(world: world, host: "console.test")
        let first = try await known.signIn(person.name, password: ConsoleWorld.password)
        #expect(
            first.device?.hasPrefix("__Host-prelude_console_device=") == true
                && first.device?.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=15552000") == true)
        _ = try await known.post("/console/sign-out")
        #expect(known.cookie == nil && known.device != nil)
        var stranger = Browser(world: world, host: "console.test")
        repeat {
            let answer = try await stranger.signIn(person.name, password: "wrong horse battery")
            if answer.status == 429 { #expect(answer.head.headerFields[.retryAfter] != nil) }
            if answer.status != 401 { break }
        } while true
        #expect(try await stranger.signIn(person.name, password: ConsoleWorld.password).status == 429)
        #expect(try await known.signIn(person.name, password: ConsoleWorld.password).status == 303)
        #expect(try await known.post("/console/operators/\(person.id)/limits").location?.hasSuffix("=cleared") == true)
        #expect(try await stranger.signIn(person.name, password: ConsoleWorld.password).status == 303)
    }

    @Test("Before the first invitation there is only the sign-in with a key")
    func none() async throws {
        let world = try await ConsoleWorld()
        var browser = Browser(world: world, host: "console.test")
        #expect(try await !browser.get("/console/sign-in").text.contains("name=\"address\""))
        #expect(try await browser.askForCode("grace@example.com").status == 404)
        #expect(try await world.service.store.app(.operators) == nil)
        _ = try await world.invite()
        #expect(try await browser.get("/console/sign-in").text.contains("name=\"address\""))
        #expect(try await browser.get("/console/sign-in?with=key").text.contains("name=\"key\""))
    }

    // Proves: C8
    @Test("A sign-in and a sign-out are events that name the operator, and end the session on every node")
    func events() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await world.signedIn(.support)
        var copy = browser
        copy.world = world.node()
        #expect(try await copy.get("/console").status == 200)
        _ = try await browser.post("/console/sign-out")
        #expect(try await copy.get("/console").status == 303)
        #expect(try await world.service.operators.sessions(of: person.id).isEmpty)
        let events = try await world.events().filter { $0.name.rawValue.hasPrefix("management.console.") }
        #expect(events.map(\.name) == [.consoleSignedOut, .consoleSignedIn])
        for event in events {
            #expect(event.context.actor == EventContext.Actor(.operator, id: person.id, name: "grace@example.com"))
            #expect(event.data == ["name": "grace@example.com", "role": "support"])
        }
    }

    // Proves: C11
    @Test(
        "A session ends at once on every node when its operator is suspended or removed, or the session is revoked",
        arguments: ["suspend", "remove", "revoke", "revoke all"])
    func ends(_ how: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await world.signedIn(.admin)
        browser.world = world.node()
        #expect(try await browser.get("/console").status == 200)
        let operators = world.service.operators
        switch how {
        case "suspend": try await operators.setStatus(.suspended, of: person.id)
        case "remove": try await operators.remove(person.id)
        case "revoke":
            let id = try #require(try await operators.sessions(of: person.id).first?.id)
            try await operators.endSession(id, of: person.id)
        default: try await operators.endSessions(of: person.id)
        }
        #expect(try await browser.get("/console").location == "/console/sign-in")
        guard how == "suspend" else { return }
        try await operators.setStatus(.active, of: person.id)
        #expect(try await browser.get("/console").status == 303)
    }

    // Proves: C11
    @Test("A new role and app apply from the next request on, on every node")
    func rights() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await world.signedIn(.admin)
        #expect(try await browser.get("/console/new-app").text.contains("action=\"/console/new-app\""))
        try await world.node().service.operators.setRole(.viewer, app: AppID("testapp"), of: person.id)
        #expect(try await browser.post(ConsoleWorld.app + "/users/new", "email=a%40example.com").status == 403)
        #expect(try await browser.get("/console/operators").status == 403)
    }

    @Test("An unused session of an operator ends after 30 minutes, and every one 12 hours after the sign-in")
    func times() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.signedIn()
        let copy = browser
        for _ in 0..<71 {
            world.clock.advance(by: .seconds(600))
            #expect(try await browser.get("/console").status == 200)
        }
        var idle = copy
        #expect(try await idle.get("/console").status == 303)
        world.clock.advance(by: .seconds(600))
        #expect(try await browser.get("/console").status == 303)
    }

    // Proves: C9
    @Test("No path, host, id or key of an API names the operator app, so operators sign in at the console only")
    func consoleOnly() async throws {
        let world = try await ConsoleWorld()
        let (_, person) = try await world.signedIn(.admin)
        let id = AppID.operators.rawValue
        #expect(AppID(id) == nil)
        #expect(throws: (any Error).self) { try AppIDReader.read(id) }
        for host in [id, "\(id).session.test", "console.test"] {
            let found = try? await world.service.directory.app(host: host)
            #expect(found?.settings.id != .operators)
        }
        #expect(try await world.service.apps.apps().map(\.id.rawValue) == ["testapp"])
        var (browser, _) = try await world.operatorBrowser()
        for path in ["", "/settings", "/users", "/users/\(person.id)"] {
            #expect(try await browser.get("/console/apps/\(id)\(path)").status == 404)
        }
        let secret = try await world.service.managementKeys.create(name: "api", app: nil).secret
        for path in ["", "/users", "/users/\(person.id)", "/config/login/password", "/keys"] {
            let (head, _) = try await world.router.respond(
                to: HTTPRequest(
                    method: .get, scheme: "https", authority: "session.test", path: "/v2/session/apps/\(id)\(path)",
                    headerFields: [.authorization: "Bearer \(secret)"]),
                body: nil, peerAddress: "192.0.2.1")
            #expect(head.status == 404, "\(path)")
        }
    }
}

/// Reads an id of an app as every API does.
private enum AppIDReader {
    struct Invalid: Error {}

    static func read(_ text: String) throws -> AppID {
        guard let id = AppID(text) else { throw Invalid() }
        return id
    }
}

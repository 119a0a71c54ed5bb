import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Confirmations of dangerous actions")
struct ConfirmationTests {
    private static let invitation = "address=new%40example.com&role=viewer&app="
    private static let path = "/console/operators/new"

    /// An operator who has signed in more than ten minutes ago.
    private static func late(
        _ world: ConsoleWorld, password: String? = nil
    ) async throws -> (Browser, ConsoleOperator) {
        let person = try await world.invite(password: password)
        let browser = try await world.browser(of: person)
        world.clock.advance(by: .seconds(600))
        return (browser, person)
    }

    private static func invited(_ world: ConsoleWorld) async throws -> Bool {
        try await world.service.operators.all().contains { $0.name == "new@example.com" }
    }

    private static func names(_ world: ConsoleWorld) async throws -> [Event.Name] {
        try await world.events().map(\.name).filter {
            $0 == .consoleConfirmed || $0 == .consoleConfirmationFailed
        }
    }

    // Proves: C13
    @Test("A dangerous action waits for a code, then continues with what was entered, and the next one needs no code")
    func code() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await Self.late(world)
        let asked = try await browser.post(Self.path, Self.invitation)
        #expect(asked.status == 200 && asked.text.contains("Confirm that it is you"))
        #expect(try await Self.invited(world) == false)
        let sent = try await browser.confirm(asked, at: Self.path, "confirm_send=code")
        #expect(sent.text.contains("name=\"confirm_code\""))
        let wrong = try await browser.confirm(sent, at: Self.path, "confirm_code=x1")
        #expect(wrong.status == 401 && wrong.text.contains("role=\"alert\""))
        #expect(try await Self.invited(world) == false)
        let done = try await browser.confirm(
            wrong, at: Self.path, "confirm_code=\(try await world.code(for: person.name))")
        #expect(done.status == 303 && done.cookie != nil, "\(done.text)")
        #expect(try await Self.invited(world))
        #expect(try await Self.names(world) == [.consoleConfirmed, .consoleConfirmationFailed])
        world.clock.advance(by: .seconds(599))
        #expect(try await browser.post(Self.path, "address=a%40example.com&role=viewer&app=").status == 303)
        world.clock.advance(by: .seconds(1))
        #expect(try await browser.post(Self.path, "address=b%40example.com&role=viewer").status == 200)
    }

    // Proves: C13
    @Test("A password confirms, a wrong one does not, and both are reported")
    func password() async throws {
        let world = try await ConsoleWorld()
        var (browser, person) = try await Self.late(world, password: ConsoleWorld.password)
        let asked = try await browser.post(Self.path, Self.invitation)
        #expect(asked.text.contains("name=\"confirm_password\"") && !asked.text.contains("new@example.com"))
        let wrong = try await browser.confirm(asked, at: Self.path, "confirm_password=wrong")
        #expect(wrong.status == 401 && !wrong.text.contains("wrong"))
        #expect(try await browser.confirm(asked, at: Self.path, "").status == 400)
        #expect(try await browser.confirm(asked, at: Self.path, "confirm_key=psk_x").status == 401)
        #expect(try await Self.invited(world) == false)
        let right = "confirm_password=" + ConsoleWorld.password.replacing(" ", with: "+")
        #expect(try await browser.confirm(wrong, at: Self.path, right).status == 303)
        #expect(try await Self.invited(world))
        let actors = try await world.events().filter { $0.name == .consoleConfirmationFailed }.map(\.context.actor)
        #expect(actors == Array(repeating: person.actor, count: 2))
    }

    // Proves: C13
    @Test("A session with a key is confirmed with the same key only")
    func key() async throws {
        let world = try await ConsoleWorld()
        let secret = try await world.service.managementKeys.create(name: "Grace", app: nil).secret
        let other = try await world.service.managementKeys.create(name: "Other", app: nil).secret
        var browser = Browser(world: world, host: "console.test")
        try await browser.signIn(secret)
        world.clock.advance(by: .seconds(600))
        let asked = try await browser.post(Self.path, Self.invitation)
        #expect(asked.text.contains("name=\"confirm_key\""))
        #expect(try await browser.confirm(asked, at: Self.path, "confirm_key=" + other).status == 401)
        #expect(try await Self.invited(world) == false)
        #expect(try await browser.confirm(asked, at: Self.path, "confirm_key=" + secret).status == 303)
        #expect(try await Self.invited(world))
    }

    @Test("A limited confirmation says when to try again, and a key that asks for a code gets the form for the key")
    func refusals() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await Self.late(world, password: ConsoleWorld.password)
        browser.device = nil
        let asked = try await browser.post(Self.path, Self.invitation)
        var last = asked
        for _ in 0..<20 where last.status != 429 {
            last = try await browser.confirm(asked, at: Self.path, "confirm_password=wrong")
        }
        #expect(last.status == 429 && last.head.headerFields[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
        var (key, _) = try await world.operatorBrowser()
        world.clock.advance(by: .seconds(600))
        let other = try await key.post(Self.path, Self.invitation)
        let answer = try await key.confirm(other, at: Self.path, "confirm_send=code")
        #expect(answer.status == 409 && answer.text.contains("name=\"confirm_key\""))
    }

    // Proves: C13
    @Test("The code of another operator confirms nothing")
    func otherPerson() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await Self.late(world)
        let other = try await world.invite(address: "other@example.com")
        let asked = try await browser.post(Self.path, Self.invitation)
        var stranger = Browser(world: world, host: "console.test")
        let page = try await stranger.askForCode(other.name)
        let code = try await world.code(for: other.name)
        let proof = "confirm_verification=\(page.value("verification") ?? "")&confirm_code=\(code)"
        #expect(try await browser.confirm(asked, at: Self.path, proof).status == 401)
        #expect(try await Self.invited(world) == false)
    }

    // Proves: C13
    @Test("The fields of a waiting action are valid for its session and path only, and cannot be replaced")
    func pending() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await Self.late(world, password: ConsoleWorld.password)
        let right = "confirm_password=" + ConsoleWorld.password.replacing(" ", with: "+")
        let asked = try await browser.post(Self.path, Self.invitation)
        let victim = try await world.invite(address: "victim@example.com")
        let removal = "/console/operators/\(victim.id)/remove"
        #expect(try await browser.confirm(asked, at: removal, right).status == 403)
        #expect(try await browser.post(Self.path, "confirm_form=AAAA&" + right).status == 403)
        var (other, _) = try await world.operatorBrowser()
        #expect(try await other.confirm(asked, at: Self.path, right).status == 403)
        #expect(try await Self.invited(world) == false)
        let done = try await browser.confirm(asked, at: Self.path, "address=evil%40example.com&role=admin&" + right)
        #expect(done.status == 303)
        let invited = try await world.service.operators.all().map(\.name)
        #expect(invited.contains("new@example.com") && !invited.contains("evil@example.com"))
    }

    // Proves: C13
    @Test(
        "Deletions, changes of keys and of operators need a confirmation, and other changes do not",
        arguments: [
            (ConsoleWorld.app + "/users/x/delete", "", true), (ConsoleWorld.app + "/keys/x/revoke", "", true),
            (ConsoleWorld.app + "/keys/x/rotate", "", true), (ConsoleWorld.app + "/webhooks/x/delete", "", true),
            (ConsoleWorld.app + "/logins/codes/x/delete", "", true),
            (ConsoleWorld.app + "/signing-keys/rotate", "purpose=access&emergency=on", true),
            (ConsoleWorld.app + "/signing-keys/rotate", "purpose=access", false),
            ("/console/operators/new", invitation, true), ("/console/operators/x/role", "role=admin", true),
            ("/console/operators/x/status", "status=active", true), ("/console/operators/x/remove", "", true),
            ("/console/operators/x/sessions/x/revoke", "", true), ("/console/operators/x/limits", "", true),
            ("/console/account/password", "password=staple+of+the+better+kind", true),
            (ConsoleWorld.app + "/users/new", "email=ada%40example.com", false),
            (ConsoleWorld.app + "/keys/new", "name=x&role=read", true),
            (ConsoleWorld.app + "/settings", "name=x", false),
        ])
    func dangerous(_ path: String, _ form: String, _ isDangerous: Bool) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await Self.late(world)
        let answer = try await browser.post(path, form)
        #expect(answer.text.contains("Confirm that it is you") == isDangerous, "\(answer.text)")
    }

    @Test("A role that may not send a form is refused before a confirmation is asked for")
    func order() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.signedIn(.support)
        world.clock.advance(by: .seconds(600))
        #expect(try await browser.post(Self.path, Self.invitation).status == 403)
    }
}

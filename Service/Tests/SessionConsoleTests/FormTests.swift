import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Forms of the console")
struct FormTests {
    private static let form = ConsoleWorld.app + "/users/new"

    private static func count(_ world: ConsoleWorld) async throws -> Int {
        let app = try #require(AppID("testapp"))
        return try await world.service.users.users(app: app, limit: 1).total ?? 0
    }

    @Test("A form with the token of its session, from a page of the console, changes something")
    func accepted() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.post(Self.form, "email=ada%40example.com").status == 303)
        browser.site = nil
        #expect(try await browser.post(Self.form, "email=bob%40example.com").status == 303)
        #expect(try await Self.count(world) == 2)
    }

    // Proves: C4
    @Test("A form of another site changes nothing", arguments: ["origin", "no origin", "null", "http", "site", "port"])
    func otherSite(_ kind: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        switch kind {
        case "origin": browser.origin = "https://evil.example"
        case "no origin": browser.origin = nil
        case "null": browser.origin = "null"
        case "http": browser.origin = "http://console.test"
        case "port": browser.origin = "https://console.test:8443"
        default: browser.site = "same-site"
        }
        #expect(try await browser.post(Self.form, "email=ada%40example.com").status == 403)
        #expect(try await Self.count(world) == 0)
        #expect(try await browser.signIn("psk_wrong").status == 403)
    }

    // Proves: C4
    @Test("A form without the token of its own session changes nothing")
    func token() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        var other = try await world.operatorBrowser().browser
        let foreign = try #require(try await other.get("/console").token)
        for token in ["", "&form_token=", "&form_token=\(foreign)", "&form_token=x"] {
            let answer = try await browser.post(Self.form, "email=ada%40example.com" + token, addingToken: false)
            #expect(answer.status == 403)
        }
        #expect(try await Self.count(world) == 0)
    }

    // Proves: C4
    @Test("Every form of the console needs the token and a page of the console")
    func everyForm() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let posts = world.routes.filter { $0.method == .post && !$0.path.hasSuffix("/sign-in") }
        #expect(posts.count > 20)
        for route in posts {
            let path = route.path.replacing("{app_id}", with: "testapp").replacing(/{[a-z_]+}/, with: "x")
            #expect(try await browser.post(path, addingToken: false).status == 403, "\(path)")
            var stranger = browser
            stranger.origin = "https://evil.example"
            #expect(try await stranger.post(path).status == 403, "\(path)")
            var signedOut = browser
            signedOut.cookie = nil
            #expect(try await signedOut.post(path).location == "/console/sign-in", "\(path)")
        }
    }

    @Test("A form of another content type, or one that is too large, is refused with its own status")
    func bodies() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await browser.post(Self.form, String(repeating: "a", count: 70_000)).status == 413)
        #expect(try await browser.post(Self.form, "email=%E0%A4%A").status == 400)
    }

    // Proves: C14
    @Test("A refused form is shown again with what was entered, and its message names the field")
    func refused() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.post(Self.form, "email=not+an+address&external_id=%3Cb%3E&password=secret-value")
        #expect(answer.status == 400)
        #expect(answer.text.contains("<title>Error: "))
        #expect(answer.text.contains("E-mail address is not an e-mail address."))
        #expect(answer.text.contains(#"aria-describedby="user-email-error user-email-hint" aria-invalid="true""#))
        #expect(answer.text.contains(#"value="not an address""#))
        #expect(answer.text.contains(#"value="&lt;b&gt;""#))
        #expect(!answer.text.contains("secret-value"))
    }

    @Test("A list can be asked for any part of it", arguments: [Int.min, -1, 0, 30, Int.max - 24, Int.max])
    func parts(offset: Int) throws {
        let part = Part(try FormBody("offset=\(offset)"))
        #expect(part.links(total: 40, noun: "session") { _ in .home }.text.contains("of 40 sessions"))
    }

    @Test("Fields are read as browsers write them, and nothing else is (URL Standard)")
    func fields() throws {
        let form = try FormBody("a=1+2%2B3&b=%C3%A9&c&d=&a=second&=x")
        #expect(form.text("a") == "1 2+3" && form.texts("a") == ["1 2+3", "second"])
        #expect(form.text("b") == "é" && form.text("c") == "" && form.text("none") == nil)
        #expect(form.filled("d") == nil)
        let marks = String(repeating: "%CC%81", count: 129)
        let (digits, utf8, null) = (
            "must have two hexadecimal digits after each percent sign", "must be UTF-8", "must not contain U+0000"
        )
        let tooMany = "must not have more than 128 combining marks in a row"
        for (invalid, field, problem) in [
            ("a\(marks)=b", "body", tooMany), ("a=b\(marks)", "a", tooMany), ("a=%", "a", digits),
            ("a=%4", "a", digits),
            ("b=1&a=%zz", "a", digits), ("%zz=1", "body", digits), ("a=%FF", "a", utf8), ("%E0%A4=x", "body", utf8),
            ("%20=%FF", "body", utf8), ("a=b%00c", "a", null), ("a%00=b", "body", null), ("a=\0", "a", null),
        ] {
            #expect(throws: Refusal.invalidField(field, problem)) { try FormBody(invalid) }
        }
        let lines = try FormBody("x=+one+%0D%0A%0D%0Atwo%0Athree")
        #expect(lines.lines("x") == ["one", "two", "three"])
        #expect(throws: Refusal.invalidField("n", "must be a whole number")) { try FormBody("n=1.5").number("n") }
        #expect(throws: Refusal.invalidField("n", "is required")) { try FormBody("n=+").number("n") }
    }
}

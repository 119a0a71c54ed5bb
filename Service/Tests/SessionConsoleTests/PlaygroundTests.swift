import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Playground of the console")
struct PlaygroundTests {
    private static let page = ConsoleWorld.app + "/playground"

    private static func origins(_ world: ConsoleWorld) async throws -> [String] {
        try await world.service.apps.app(#require(AppID("testapp"))).allowedOrigins
    }

    @Test("Until the app allows the console's origin, the page has no script and offers a form that allows it")
    func setup() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.get(Self.page)
        #expect(answer.text.contains("Allow https://console.test") && !answer.text.contains("<script"))
        #expect(try #require(answer.head.headerFields[.contentSecurityPolicy]).contains("script") == false)
    }

    @Test("The forms add and remove the console's origin, and keep the others")
    func permission() async throws {
        let world = try await ConsoleWorld()
        let app = try #require(AppID("testapp"))
        try await world.service.apps.setOrigin("https://app.example.com", isAllowed: true, of: app)
        var (browser, _) = try await world.operatorBrowser()
        for _ in 0..<2 { #expect(try await browser.post(Self.page + "/allow").status == 303) }
        #expect(try await Self.origins(world) == ["https://app.example.com", "https://console.test"])
        #expect(try await browser.get(Self.page).text.contains("Remove the origin"))
        #expect(try await browser.post(Self.page + "/disallow").status == 303)
        #expect(try await Self.origins(world) == ["https://app.example.com"])
    }

    // Proves: C5
    @Test("The page may run scripts of the console and call the app's origin, nothing else")
    func policy() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        _ = try await browser.post(Self.page + "/allow")
        let answer = try await browser.get(Self.page)
        let policy = try #require(answer.head.headerFields[.contentSecurityPolicy])
        #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"))
        #expect(policy.contains("; script-src 'self'; connect-src https://session.test; require-trusted-types-for"))
        let scripts = answer.text.matches(of: /<script[^>]*>[^<]*/).map { String($0.0) }
        #expect(scripts == [#"<script type="module" src="\#(PlaygroundScripts.main.path.text)">"#])
        #expect(!answer.text.contains(" style=") && !answer.text.contains(" onclick"))
        for path in ["/settings", "/logins", "/users"] {
            let other = try await browser.get(ConsoleWorld.app + path)
            #expect(!other.text.contains("<script"))
            #expect(try #require(other.head.headerFields[.contentSecurityPolicy]).contains("script") == false)
        }
    }

    @Test("Under the origin of the app, the playground needs no permission")
    func ownOrigin() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser(role: .read, host: "session.test")
        let answer = try await browser.get(Self.page)
        #expect(answer.text.contains("data-endpoint=\"https://session.test\""))
        #expect(answer.text.contains("/dev/mailbox\"") && !answer.text.contains("origin is allowed"))
    }

    @Test("Each script is kept by browsers, and imports others by the paths that they have")
    func scripts() async throws {
        let world = try await ConsoleWorld()
        let names = Set(PlaygroundScripts.all.map(\.fileName))
        #expect(names.count == 6)
        for asset in PlaygroundScripts.all {
            let (head, body) = try await world.router.respond(
                to: HTTPRequest(method: .get, scheme: "https", authority: "console.test", path: asset.path.text),
                body: nil, peerAddress: "192.0.2.1")
            let text = String(decoding: body, as: UTF8.self)
            #expect(head.status == .ok && head.headerFields[.contentType] == "text/javascript; charset=utf-8")
            #expect(head.headerFields[.cacheControl] == "public, max-age=31536000, immutable")
            let imported = text.matches(of: /from "\.\/([^"]+)"/).map { String($0.1) }
            #expect(names.isSuperset(of: imported), "\(asset.path.text)")
        }
    }
}

import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Ends of console sessions")
struct SessionEndTests {
    private func isSignedIn(_ browser: Browser, at world: ConsoleWorld? = nil) async throws -> Bool {
        var browser = browser
        if let world { browser.world = world }
        return try await browser.get("/console").status == 200
    }

    // Proves: C2
    @Test("A session is valid on every node, and a sign-out ends it on every node, also a copy of its cookie")
    func signOut() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let (copy, node) = (browser, world.node())
        #expect(try await isSignedIn(copy, at: node))
        let answer = try await browser.post("/console/sign-out")
        #expect(answer.status == 303 && answer.cookie?.contains("Max-Age=0") == true)
        #expect(browser.cookie == nil)
        #expect(try await isSignedIn(copy) == false)
        #expect(try await isSignedIn(copy, at: node) == false)
    }

    @Test("The sign-out of one session ends no other session of the same key")
    func others() async throws {
        let world = try await ConsoleWorld()
        let secret = try await world.service.managementKeys.create(name: "Grace", app: nil).secret
        var (one, other) = (Browser(world: world, host: "console.test"), Browser(world: world, host: "console.test"))
        try await one.signIn(secret)
        try await other.signIn(secret)
        _ = try await one.post("/console/sign-out")
        #expect(try await isSignedIn(other))
    }

    // Proves: C2
    @Test("An unused session ends after 30 minutes, and a request gives it 30 more")
    func idle() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let copy = browser
        world.clock.advance(by: .seconds(1799))
        #expect(try await browser.get("/console").cookie != nil)
        world.clock.advance(by: .seconds(1))
        #expect(try await isSignedIn(copy) == false)
        world.clock.advance(by: .seconds(1798))
        #expect(try await isSignedIn(browser))
        world.clock.advance(by: .seconds(1))
        #expect(try await isSignedIn(browser) == false)
    }

    // Proves: C2
    @Test("A session ends 12 hours after the sign-in, however it is used")
    func absolute() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        for _ in 0..<71 {
            world.clock.advance(by: .seconds(600))
            #expect(try await browser.get("/console").status == 200)
        }
        world.clock.advance(by: .seconds(599))
        #expect(try await isSignedIn(browser))
        world.clock.advance(by: .seconds(1))
        #expect(try await isSignedIn(browser) == false)
    }

    // Proves: C2
    @Test("A session ends when its key is revoked, rotated or expires", arguments: ["revoke", "rotate", "expire"])
    func key(_ end: String) async throws {
        let world = try await ConsoleWorld()
        let app = try #require(AppID("testapp"))
        let keys = world.service.managementKeys
        let (key, secret) = try await keys.create(
            name: "Grace", app: app, expiresAt: end == "expire" ? world.clock.timestamp + 900 : nil)
        var browser = Browser(world: world, host: "console.test")
        try await browser.signIn(secret)
        #expect(try await isSignedIn(browser))
        switch end {
        case "revoke": try await keys.revoke(id: key.id)
        case "rotate": _ = try await keys.rotate(id: key.id, of: app, by: key)
        default: world.clock.advance(by: .seconds(900))
        }
        #expect(try await isSignedIn(browser) == false)
    }

    // Proves: C1
    @Test("A cookie that this service did not write is no session")
    func forged() async throws {
        let world = try await ConsoleWorld()
        let (browser, _) = try await world.operatorBrowser()
        let value = try #require(browser.cookie?.split(separator: "=", maxSplits: 1).last)
        let stranger = try await ConsoleWorld().operatorBrowser().browser
        var sealed = [UInt8](try #require(Base64URL.decode(value)))
        sealed[sealed.count / 2] ^= 1
        for other in ["", "x", String(value.dropLast()), Base64URL.encode(sealed), String(repeating: "A", count: 2000)]
        {
            var changed = browser
            changed.cookie = "__Host-prelude_console=" + other
            #expect(try await isSignedIn(changed) == false)
        }
        var foreign = browser
        foreign.cookie = stranger.cookie
        #expect(try await isSignedIn(foreign) == false)
    }
}

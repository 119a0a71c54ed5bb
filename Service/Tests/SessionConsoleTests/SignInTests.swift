import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Sign-in of the console")
struct SignInTests {
    // Proves: C1
    @Test(
        "A management key begins a session in a cookie for this host and this site only, without the key (RFC 6265bis)")
    func cookie() async throws {
        let world = try await ConsoleWorld()
        let secret = try await world.service.managementKeys.create(name: "Grace", app: nil).secret
        var browser = Browser(world: world, host: "console.test")
        let answer = try await browser.signIn(secret)
        #expect(answer.status == 303 && answer.location == "/console")
        let cookie = try #require(answer.cookie)
        #expect(cookie.hasPrefix("__Host-prelude_console="))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure"))
        #expect(!cookie.contains(secret) && !answer.text.contains(secret))
        #expect(try await browser.get("/console").text.contains("Grace"))
    }

    // Proves: C1
    @Test("Under http the cookie has no prefix, and only a loopback host may use it")
    func loopback() async throws {
        let world = try await ConsoleWorld()
        let secret = try await world.service.managementKeys.create(name: "Grace", app: nil).secret
        var local = Browser(world: world, host: "localhost:8081")
        local.origin = "http://localhost:8081"
        let answer = try await local.signIn(secret)
        #expect(answer.cookie?.hasPrefix("prelude_console=") == true)
        #expect(answer.cookie?.contains("Secure") == false)
        #expect(try await local.get("/console").status == 200)
        local.host = "console.test"
        #expect(try await local.get("/console").status == 303)

        var remote = Browser(world: world, host: "console.test")
        remote.origin = "http://console.test"
        let refused = try await remote.signIn(secret)
        #expect(refused.status == 403 && refused.cookie == nil)
        #expect(refused.text.contains("needs https"))
    }

    // Proves: C3
    @Test("A wrong key gets no session, and the page does not repeat it")
    func wrongKey() async throws {
        let world = try await ConsoleWorld()
        var browser = Browser(world: world, host: "console.test")
        let answer = try await browser.signIn("psk_not-a-key-of-this-service")
        #expect(answer.status == 401 && answer.cookie == nil)
        #expect(answer.text.contains("not valid") && !answer.text.contains("psk_not"))
        #expect(try await browser.signIn("").status == 400)
        #expect(try await browser.get("/console").location == "/console/sign-in")
    }

    // Proves: C3
    @Test("Wrong keys are limited by source address, together with those of the management API")
    func limit() async throws {
        let world = try await ConsoleWorld()
        var browser = Browser(world: world, host: "console.test")
        for _ in 0..<20 { #expect(try await browser.signIn("psk_wrong").status == 401) }
        let limited = try await browser.signIn("psk_wrong")
        #expect(limited.status == 429 && limited.head.headerFields[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
        let secret = try await world.service.managementKeys.create(name: "Grace", app: nil).secret
        #expect(try await browser.signIn(secret).status == 303)
    }

    // Proves: C6
    @Test("A page that needs a session leads to the sign-in and back, and to no other place")
    func returning() async throws {
        let world = try await ConsoleWorld()
        let secret = try await world.service.managementKeys.create(name: "Grace", app: nil).secret
        var browser = Browser(world: world, host: "console.test")
        let users = ConsoleWorld.app + "/users"
        #expect(
            try await browser.get(users).location
                == "/console/sign-in?next=%2Fconsole%2Fapps%2Ftestapp%2Fusers")
        #expect(try await browser.signIn(secret, more: "&next=" + users).location == users)
        #expect(try await browser.signIn(secret, more: "&next=https://evil.example").location == "/console")
    }

    // Proves: C8
    @Test("A sign-in and a sign-out are events that name the key")
    func events() async throws {
        let world = try await ConsoleWorld()
        var (browser, key) = try await world.operatorBrowser()
        _ = try await browser.post("/console/sign-out")
        let events = try await world.events().filter { $0.name.rawValue.hasPrefix("management.console.") }
        #expect(
            events.map(\.name.rawValue) == ["management.console.signed_out", "management.console.signed_in"])
        for event in events {
            #expect(event.context.actor == EventContext.Actor(.managementKey, id: key.id, name: "Grace"))
            #expect(event.context.ip == "192.0.2.1")
            #expect(event.data == ["name": "Grace", "role": "write"])
        }
    }

    @Test("A configured key is an operator, too, and its event has no part of its hash")
    func configured() async throws {
        let secret = "Zq7-Lw2_R9x-Kt4_Vb1-Mn8_Hs5"
        let world = try await ConsoleWorld(configuredKeys: [secret])
        var browser = Browser(world: world, host: "console.test")
        #expect(try await browser.signIn(secret).status == 303)
        let event = try #require(try await world.events().first { $0.name == .consoleSignedIn })
        #expect(event.context.actor == EventContext.Actor(.configuration, name: "configured"))
    }
}

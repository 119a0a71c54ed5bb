import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

/// An app that accepts only sessions with a key, and limits how many a user has.
@Suite("Sessions that an app does not accept", .eachStore)
struct DeviceKeyStory {
    private func world() async throws -> ServiceWorld {
        try await ServiceWorld { $0.allowedOrigins = [BrowserSession.origin] }
    }

    private func requireKey(_ setting: String, in world: ServiceWorld) async throws {
        let body = #"{"device_key":"\#(setting)"}"#
        try #require(try await world.manage("/config/sessions", json: body, method: .put).status == 200)
    }

    // Proves: R26
    @Test(
        "With a required device key no header replaces the proof, and the login can be finished with one",
        arguments: [["origin": BrowserSession.origin], ["sec-fetch-site": "same-origin"], [:]])
    func login(headers: [String: String]) async throws {
        let world = try await world()
        try await requireKey("required", in: world)
        let challenge = try await world.completedLogin("ada@example.com")
        let refused = try await world.call(
            "/v1/session/login/finalize", json: #"{"challenge_token":"\#(challenge)"}"#, headers: headers)
        #expect(refused.status == 401 && refused.body["code"] == .string("missing_dpop_proof"))
        var device = RawDevice(signedOut: world)
        try device.take(await device.finalize(challenge, id: "finalize"))
    }

    // Proves: R26
    @Test("A session without a key cannot refresh while a device key is required, and continues afterwards")
    func refresh() async throws {
        let world = try await world()
        let browser = try await BrowserSession(in: world)
        try await requireKey("required", in: world)
        let refused = try await browser.call("/refresh", json: "{}")
        #expect(refused.status == 401 && refused.body["code"] == .string("missing_dpop_proof"))
        try await requireKey("optional", in: world)
        #expect(try await browser.call("/refresh", json: "{}").status == 200)
    }

    // Proves: R25
    @Test("A device above the maximum signs out the one that was unused longest")
    func maximum() async throws {
        let world = try await ServiceWorld { $0.sessions.maximumSessions = 2 }
        let (phone, laptop) = (try await world.signedIn(), try await world.signedIn())
        world.clock.advance(seconds: 290)
        _ = try await phone.refresh()
        let tablet = try await world.signedIn()
        await #expect(throws: PreludeSessionError.self) { try await laptop.refresh() }
        for client in [phone, tablet] { #expect(try await client.listSessions().total == 2) }
        let ended = try await world.service.store.events(app: world.appID, limit: 100, offset: 0)
            .filter { $0.name == .sessionRevoked }
        #expect(ended.map { $0.data["reason"] } == ["session_limit"])
    }
}

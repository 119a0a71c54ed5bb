import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import Testing

@Suite("Stepping up in a browser without a key", .eachStore)
struct StepUpWithoutKeyStory {
    private func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld { $0.allowedOrigins = [BrowserSession.origin] }
        try await world.allow("reports:read", mode: "session-bound")
        return world
    }

    @Test("A browser steps up with its cookie and a code")
    func wholeStory() async throws {
        let world = try await world()
        let browser = try await BrowserSession(in: world)
        let requested = try await browser.call("/stepup/request", json: #"{"scope":"reports:read"}"#, bearer: true)
        let challenge = try #require(requested.body["challenge_token"]?.stringValue)
        let sent = try await browser.call("/otp", json: #"{"challenge_token":"\#(challenge)"}"#)
        #expect(sent.status == 204)
        let code = try world.code(for: "web@example.com")
        let checked = try await browser.call(
            "/otp/check", json: #"{"code":"\#(code)","challenge_token":"\#(challenge)"}"#)
        let completed = try #require(checked.body["challenge_token"]?.stringValue)
        let refreshed = try await browser.call("/refresh", json: #"{"step_up_token":"\#(completed)"}"#)
        #expect(refreshed.status == 200)
        #expect(try await world.eventNames().contains("step_up.granted"))
    }

    @Test("A leaked access token completes no step without the session's cookie (R12)")
    func leakedToken() async throws {
        let world = try await world()
        let browser = try await BrowserSession(in: world)
        let requested = try await browser.call(
            "/stepup/request", json: #"{"scope":"reports:read"}"#, bearer: true, withCookie: false)
        let challenge = try #require(requested.body["challenge_token"]?.stringValue)
        _ = try await browser.call("/otp", json: #"{"challenge_token":"\#(challenge)"}"#, withCookie: false)
        let code = try world.code(for: "web@example.com")
        let checked = try await browser.call(
            "/otp/check", json: #"{"code":"\#(code)","challenge_token":"\#(challenge)"}"#, bearer: true,
            withCookie: false)
        #expect(checked.status == 401)
        #expect(checked.body["code"]?.stringValue == "unauthorized")
    }

    @Test("A page can read why its request was rejected")
    func refusalsAreReadable() async throws {
        let world = try await world()
        let browser = try await BrowserSession(in: world)
        let refused = try await browser.call("/stepup/request", json: #"{"scope":"other:scope"}"#, bearer: true)
        #expect(refused.status == 403)
        #expect(refused.head.headerFields[.accessControlAllowOrigin] == BrowserSession.origin)
    }
}

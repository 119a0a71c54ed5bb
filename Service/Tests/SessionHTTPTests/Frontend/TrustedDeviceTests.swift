import HTTPTypes
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Known devices in requests and responses")
struct TrustedDeviceTests {
    private static let browser = HTTPFields.of(("origin", EdgeWorld.allowedOrigin))

    private func finalize(_ world: EdgeWorld) async throws -> EdgeResponse {
        let started = try await world.call(
            .post, "/v1/session/otp", Self.browser,
            json: #"{"identifier":{"type":"email_address","value":"ada@example.com"}}"#)
        var headers = Self.browser
        headers[.cookie] = cookie("__Host-verification-login_testapp", in: started)
        let code = try #require(world.mailbox.messages.first?.code)
        let checked = try await world.call(.post, "/v1/session/otp/check", headers, json: #"{"code":"\#(code)"}"#)
        let challenge = try #require(checked.members["challenge_token"]?.stringValue)
        return try await world.call(
            .post, "/v1/session/login/finalize", Self.browser, json: #"{"challenge_token":"\#(challenge)"}"#)
    }

    private func cookie(_ name: String, in response: EdgeResponse) -> String? {
        response.head.headerFields[values: .setCookie].first { $0.hasPrefix(name + "=") }
            .map { String($0.prefix { $0 != ";" }) }
    }

    // Proves: O22
    @Test(
        "A browser gets the token as a cookie that its pages cannot read, for 180 days, and in no header",
        arguments: [15_552_000, 86_400])
    func browser(lifetime: Int) async throws {
        let world = try await EdgeWorld { app in
            app.allowedOrigins = [EdgeWorld.allowedOrigin]
            app.sessions.knownDeviceLifetime = lifetime
        }
        let tokens = try await finalize(world)
        let written = try #require(
            tokens.head.headerFields[values: .setCookie].first { $0.hasPrefix("__Host-device_testapp=usr_") })
        #expect(written.hasSuffix("; Path=/; Max-Age=\(lifetime); HttpOnly; SameSite=None; Secure"))
        #expect(tokens.header("x-trusted-device") == nil)
    }

    @Test("A cookie opens the budget of a known device, and an invalid token changes nothing")
    func knownBrowser() async throws {
        let world = try await EdgeWorld { app in
            app.allowedOrigins = [EdgeWorld.allowedOrigin]
            app.otpLimits.starts = RateLimit(limit: 2, window: 600)
        }
        let device = try #require(cookie("__Host-device_testapp", in: try await finalize(world)))
        func start(_ email: String, cookie: String? = nil, header: String? = nil) async throws -> EdgeResponse {
            var headers = Self.browser
            headers[.cookie] = cookie
            if let header { headers[HTTPField.Name("x-trusted-device")!] = header }
            return try await world.call(
                .post, "/v1/session/otp", headers,
                json: #"{"identifier":{"type":"email_address","value":"\#(email)"}}"#)
        }
        #expect(try await start("ada@example.com").status == 204)
        let limited = try await start("ada@example.com")
        #expect(limited.status == 429 && limited.code == "rate_limited" && limited.header("retry-after") == "600")
        for token in ["", "x", String(device.dropLast()), String(repeating: "a", count: 5000)] {
            #expect(try await start("ada@example.com", header: token).status == 429)
        }
        #expect(try await start("ada@example.com", cookie: device).status == 204)
        let value = String(device.drop { $0 != "=" }.dropFirst())
        #expect(try await start("ada@example.com", header: value).status == 204)
        // The token pays for its own user only.
        for _ in 1...2 { #expect(try await start("bob@example.com", cookie: device).status == 204) }
        let foreign = try await start("bob@example.com", cookie: device)
        #expect(foreign.status == 429 && foreign.header("retry-after") == "600")
        #expect(foreign.members.filter { $0.key != "request_id" } == limited.members.filter { $0.key != "request_id" })
    }

    @Test("Requests of pages may carry the header")
    func preflight() async throws {
        let world = try await EdgeWorld.shared.value
        let answer = try await world.call(.options, "/v1/session/otp", Self.browser)
        #expect(answer.header("access-control-allow-headers")?.contains("X-Trusted-Device") == true)
    }
}

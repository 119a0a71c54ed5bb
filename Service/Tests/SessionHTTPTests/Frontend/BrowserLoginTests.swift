import HTTPTypes
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Login of a browser")
struct BrowserLoginTests {
    private static let browser = HTTPFields.of(("origin", EdgeWorld.allowedOrigin))

    private func start(
        _ world: EdgeWorld, _ headers: HTTPFields, email: String = "ada@example.com"
    ) async throws -> EdgeResponse {
        try await world.call(
            .post, "/v1/session/otp", headers,
            json: #"{"identifier":{"type":"email_address","value":"\#(email)"}}"#)
    }

    /// `name=value` of a cookie in a response.
    private func cookie(_ name: String, in response: EdgeResponse) -> String? {
        response.head.headerFields[values: .setCookie].first { $0.hasPrefix(name + "=") }
            .map { String($0.prefix { $0 != ";" }) }
    }

    private func sentCookie(_ name: String, in response: EdgeResponse) throws -> String {
        try #require(cookie(name, in: response))
    }

    private func world() async throws -> EdgeWorld {
        try await EdgeWorld { $0.allowedOrigins = [EdgeWorld.allowedOrigin] }
    }

    @Test("A browser gets the refresh token in a cookie and in no header, and the cookie is cleared at the end")
    func refreshToken() async throws {
        let world = try await world()
        let started = try await start(world, Self.browser)
        var headers = Self.browser
        headers[.cookie] = try sentCookie("__Host-verification-login_testapp", in: started)
        let code = try #require(world.mailbox.messages.first?.code)
        let checked = try await world.call(.post, "/v1/session/otp/check", headers, json: #"{"code":"\#(code)"}"#)
        let challenge = try #require(checked.members["challenge_token"]?.stringValue)
        let tokens = try await world.call(
            .post, "/v1/session/login/finalize", Self.browser, json: #"{"challenge_token":"\#(challenge)"}"#)
        #expect(tokens.status == 200)
        #expect(tokens.members["token_type"]?.stringValue == "Bearer")
        #expect(tokens.header("x-refresh-token") == nil && tokens.header("x-refresh-token-expires-at") == nil)

        headers[.cookie] = try sentCookie("__Host-refresh_testapp", in: tokens)
        let refreshed = try await world.call(.post, "/v1/session/refresh", headers, json: "{}")
        #expect(refreshed.status == 200)
        #expect(refreshed.header("x-refresh-token") == nil)
        headers[.cookie] = try sentCookie("__Host-refresh_testapp", in: refreshed)
        let revoked = try await world.call(.post, "/v1/session/revoke", headers)
        #expect(revoked.status == 204)
        #expect(cookie("__Host-refresh_testapp", in: revoked) == "__Host-refresh_testapp=")
    }

    @Test("A client that is not a browser cannot send the refresh token in a cookie")
    func cookieOfAnApp() async throws {
        let response = try await world().call(
            .post, "/v1/session/refresh", .of(("cookie", "__Host-refresh_testapp=x")), json: "{}")
        #expect(response.status == 401)
    }

    @Test("A browser gets a device id unless it has one already; other clients get none")
    func deviceID() async throws {
        let world = try await world()
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
        let name = "__Host-did_testapp"
        #expect(
            cookie(name, in: try await start(world, Self.browser, email: "a@example.com"))?.count == name.count + 37)
        for (email, extra) in [("b@example.com", ("cookie", name + "=" + id)), ("c@example.com", ("x-device-id", id))] {
            let headers = HTTPFields.of(("origin", EdgeWorld.allowedOrigin), extra)
            #expect(cookie(name, in: try await start(world, headers, email: email)) == nil)
        }
        #expect(cookie(name, in: try await start(world, [:], email: "d@example.com")) == nil)
    }

    @Test(
        "Events name the device of a browser by its cookie, and an invalid cookie is replaced",
        arguments: [
            ("0F8FAD5B-d9cb-469f-a165-70867728950e", "0f8fad5b-d9cb-469f-a165-70867728950e"), ("no-uuid", nil),
        ] as [(String, String?)])
    func deviceOfEvents(cookie value: String, id: String?) async throws {
        let world = try await world()
        let name = "__Host-did_testapp"
        let headers = HTTPFields.of(("origin", EdgeWorld.allowedOrigin), ("cookie", "\(name)=\(value)"))
        let started = try await start(world, headers)
        #expect((cookie(name, in: started) == nil) == (id != nil))
        let events = try await world.service.store.events(app: try TestApp.id(), limit: 1, offset: 0)
        #expect(events.first?.name == .codeSent)
        #expect(events.first?.context.device?.id == id)
    }

    @Test("The verification token of the header is used before that of the cookie")
    func verificationToken() async throws {
        let world = try await world()
        let started = try await start(world, [:])
        let token = try #require(started.header("x-verification-token"))
        let code = try #require(world.mailbox.messages.first?.code)
        let headers = HTTPFields.of(
            ("x-verification-token", token), ("cookie", "__Host-verification-login_testapp=invalid"))
        #expect(
            try await world.call(.post, "/v1/session/otp/check", headers, json: #"{"code":"\#(code)"}"#).status == 200)
    }
}

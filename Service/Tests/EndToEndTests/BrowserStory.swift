import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

@Suite("Browsers get cookies", .eachStore)
struct BrowserStory {
    private let origin = "https://app.example.com"

    private func world() async throws -> ServiceWorld {
        try await ServiceWorld { $0.allowedOrigins = ["https://app.example.com"] }
    }

    private func cookies(_ head: HTTPResponse) -> [String] {
        head.headerFields[values: HTTPField.Name.setCookie]
    }

    @Test("A browser signs in without a proof and refreshes by cookie, and no header contains the token")
    func signsIn() async throws {
        let world = try await world()
        let started = try await world.call(
            "/v1/session/otp", json: #"{"identifier":{"type":"email_address","value":"web@example.com"}}"#,
            headers: ["origin": origin])
        #expect(started.status == 204)
        #expect(cookies(started.head).contains { $0.hasPrefix("did_testapp=") })
        let verification = try #require(cookies(started.head).first { $0.hasPrefix("verification-login_testapp=") })
        let checked = try await world.call(
            "/v1/session/otp/check", json: #"{"code":"\#(try world.code(for: "web@example.com"))"}"#,
            headers: ["origin": origin, "cookie": String(verification.prefix { $0 != ";" })])
        let challenge = try #require(checked.body["challenge_token"]?.stringValue)
        let finalized = try await world.call(
            "/v1/session/login/finalize", json: #"{"challenge_token":"\#(challenge)"}"#, headers: ["origin": origin])
        #expect(finalized.status == 200)
        #expect(finalized.head.headerFields[try #require(HTTPField.Name("x-refresh-token"))] == nil)
        #expect(finalized.head.headerFields[.accessControlAllowOrigin] == origin)
        let cookie = try #require(cookies(finalized.head).first { $0.hasPrefix("refresh_testapp=") })
        #expect(cookie.contains("HttpOnly"))

        let token = String(cookie.prefix { $0 != ";" })
        let refreshed = try await world.call(
            "/v1/session/refresh", json: "{}", headers: ["origin": origin, "cookie": token])
        #expect(refreshed.status == 200)
        let byHeader = try await world.call(
            "/v1/session/refresh", json: "{}",
            headers: ["origin": origin, "x-refresh-token": String(token.drop { $0 != "=" }.dropFirst())])
        #expect(byHeader.status == 401)
    }

    @Test("A page of another site cannot call the service", arguments: ["https://evil.example", "null"])
    func foreignOrigin(foreign: String) async throws {
        let answer = try await world().call("/v1/session/refresh", json: "{}", headers: ["origin": foreign])
        #expect(answer.status == 403)
        #expect(answer.head.headerFields[.accessControlAllowOrigin] == nil)
    }

    @Test("A preflight request gets the allowed headers")
    func preflight() async throws {
        let answer = try await world().call(
            "/v1/session/refresh", headers: ["origin": origin], method: .options)
        #expect(answer.status == 204)
        #expect(answer.head.headerFields[.accessControlAllowHeaders]?.contains("DPoP") == true)
    }
}

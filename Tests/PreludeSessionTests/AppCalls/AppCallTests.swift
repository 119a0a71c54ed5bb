import Foundation
import PreludeSession
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Calls to the app's own backend")
struct AppCallTests {
    private static let path = "/orders"
    private static let full = "https://api.example.com/v1/session/orders?page=2"

    private func request(_ url: String = full, method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        return request
    }

    @Test(
        "A call to the backend carries the access token and returns the response with any status",
        arguments: [200, 404, 500])
    func bearer(status: Int) async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(Self.path, status == 200 ? .success(#"{"ok":true}"#) : .proxyResponse(status))
        let (_, response) = try await fixture.client().data(for: request())
        #expect(response.statusCode == status)
        #expect(response.url?.absoluteString == Self.full)
        let sent = try #require(await fixture.transport.requests(Self.path).first)
        #expect(sent.headers["authorization"]?.hasPrefix("Bearer ") == true)
        #expect(sent.proof == nil)
    }

    @Test("A call keeps the app's method, header fields and body")
    func untouched() async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(Self.path, .success())
        var request = try request(method: "PUT")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"item":"tea"}"#.utf8)
        _ = try await fixture.client().data(for: request)
        let sent = try #require(await fixture.transport.requests(Self.path).first)
        #expect(sent.headers["content-type"] == "application/json")
        #expect(sent.text("item") == "tea")
    }

    @Test("A call with a URL alone is a GET without a body")
    func url() async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(Self.path, .success(#"{"ok":true}"#))
        let (data, response) = try await fixture.client().data(from: #require(URL(string: Self.full)))
        #expect(response.statusCode == 200 && data == Data(#"{"ok":true}"#.utf8))
        let sent = try #require(await fixture.transport.requests(Self.path).first)
        #expect(sent.headers["authorization"]?.hasPrefix("Bearer ") == true)
        #expect(sent.body.isEmpty)
    }

    @Test("An expired token is refreshed before the call is sent")
    func earlyRefresh() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        fixture.clock.advance(299)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        await fixture.transport.answer(Self.path, .success())
        _ = try await client.data(for: request())
        #expect(await fixture.transport.sent.map(\.path) == ["/v1/session/refresh", "/v1/session/orders"])
    }

    @Test("A 401 leads to one refresh and one repetition, and a second 401 is returned")
    func oneRetry() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(
            Self.path, .proxyResponse(401), .success(#"{"ok":true}"#), .proxyResponse(401), .proxyResponse(401))
        await fixture.transport.answer("/refresh", fixture.refreshed(1), fixture.refreshed(2))
        #expect(try await client.data(for: request()).1.statusCode == 200)
        #expect(try await client.data(for: request()).1.statusCode == 401)
        #expect(await fixture.transport.count(Self.path) == 4)
        #expect(await fixture.transport.count("/refresh") == 2)
    }

    @Test("A 401 that asks for a step-up refreshes nothing, and the app reads the scope (RFC 9470 §3)")
    func stepUpIsMissing() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = #"Bearer error="insufficient_user_authentication", scope="transfer:write""#
        await fixture.transport.answer(
            Self.path, .errorResponse(401, "insufficient_user_authentication", headers: ["www-authenticate": challenge])
        )
        let response = try await client.data(for: request()).1
        #expect(response.statusCode == 401)
        #expect(response.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    // Proves: E3
    @Test("Two concurrent 401 responses share one refresh, and a late 401 does not drop the new token")
    func sharedRefresh() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer(
            Self.path, .held(gate, .proxyResponse(401)), .held(gate, .proxyResponse(401)), .success(#"{"n":1}"#),
            .success(#"{"n":2}"#))
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        let request = try request()
        async let first = client.data(for: request)
        async let second = client.data(for: request)
        await fixture.transport.arrival(of: Self.path, count: 2)
        await gate.open()
        #expect(try await first.1.statusCode == 200)
        #expect(try await second.1.statusCode == 200)
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    // Proves: E2
    @Test("A 401 followed by an offline refresh throws the network error and keeps the session")
    func offline() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(Self.path, .proxyResponse(401))
        await fixture.transport.answer("/refresh", .offline, .offline)
        #expect(try await failure { _ = try await client.data(for: try request()) } == "network")
        #expect(try await fixture.stored() != nil)
    }

    @Test(
        "A call to a URL that must not receive a token is rejected before it is sent",
        arguments: [
            "http://api.example.com/v1/session/orders", "ftp://api.example.com/", "file:///etc/passwd",
        ])
    func httpsOnly(url: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.data(for: try request(url)) } == "invalidConfiguration")
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("A call may use http on loopback", arguments: ["localhost", "127.0.0.1", "[::1]"])
    func loopback(host: String) async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(Self.path, .success())
        let answer = try await fixture.client().data(for: request("http://\(host):3000/v1/session/orders"))
        #expect(answer.1.statusCode == 204)
    }

    @Test("A call without a signed-in user throws")
    func signedOut() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.data(for: try request()) } == "unauthorized")
    }

    @Test("An authorized request can be sent by the app itself")
    func authorize() async throws {
        let fixture = try await ClientFixture()
        var request = try request()
        let client = try fixture.client()
        try await client.authorize(&request)
        let token = try #require(await client.accessToken)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer " + token)
        #expect(request.value(forHTTPHeaderField: "DPoP") == nil)
    }
}

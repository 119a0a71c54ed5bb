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

    @Test("carry the access token, and bring the answer whatever its status", arguments: [200, 404, 500])
    func bearer(status: Int) async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(Self.path, status == 200 ? .success(#"{"ok":true}"#) : .noise(status))
        let (_, response) = try await fixture.client().data(for: request())
        #expect(response.statusCode == status)
        #expect(response.url?.absoluteString == Self.full)
        let sent = try #require(await fixture.transport.requests(Self.path).first)
        #expect(sent.headers["authorization"]?.hasPrefix("Bearer ") == true)
        #expect(sent.proof == nil)
    }

    @Test("keep the method, the fields and the body that the app gave")
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

    @Test("refresh a token whose time is up before they are sent")
    func earlyRefresh() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        fixture.clock.advance(299)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        await fixture.transport.answer(Self.path, .success())
        _ = try await client.data(for: request())
        #expect(await fixture.transport.sent.map(\.path) == ["/v1/session/refresh", "/v1/session/orders"])
    }

    @Test("answered 401 lead to one refresh and one repeat; a second 401 is the answer")
    func oneRetry() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(Self.path, .noise(401), .success(#"{"ok":true}"#), .noise(401), .noise(401))
        await fixture.transport.answer("/refresh", fixture.refreshed(1), fixture.refreshed(2))
        #expect(try await client.data(for: request()).1.statusCode == 200)
        #expect(try await client.data(for: request()).1.statusCode == 401)
        #expect(await fixture.transport.count(Self.path) == 4)
        #expect(await fixture.transport.count("/refresh") == 2)
    }

    @Test("answered 401 because a step-up is missing refresh nothing: the app reads which, and steps up (RFC 9470 §3)")
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

    @Test("two that are answered 401 at once share one refresh, and a late 401 throws no fresh token away")
    func sharedRefresh() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer(
            Self.path, .held(gate, .noise(401)), .held(gate, .noise(401)), .success(#"{"n":1}"#), .success(#"{"n":2}"#))
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

    @Test("answered 401 offline say that there is no network, and keep the session")
    func offline() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(Self.path, .noise(401))
        await fixture.transport.answer("/refresh", .offline, .offline)
        #expect(try await failure { _ = try await client.data(for: try request()) } == "network")
        #expect(try await fixture.stored() != nil)
    }

    @Test(
        "are refused before they are sent when a token must not go there",
        arguments: [
            "http://api.example.com/v1/session/orders", "ftp://api.example.com/", "file:///etc/passwd",
        ])
    func httpsOnly(url: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.data(for: try request(url)) } == "invalidConfiguration")
        #expect(await fixture.transport.sent.isEmpty)
    }

    @Test("may go over http to this machine", arguments: ["localhost", "127.0.0.1", "[::1]"])
    func loopback(host: String) async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer(Self.path, .success())
        let answer = try await fixture.client().data(for: request("http://\(host):3000/v1/session/orders"))
        #expect(answer.1.statusCode == 204)
    }

    @Test("need somebody who is signed in")
    func signedOut() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.data(for: try request()) } == "unauthorized")
    }

    @Test("can be authorized to be sent some other way")
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

import Crypto
import Foundation
import Testing

@testable import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// RFC 9449 §7: a token with `cnf.jkt` is sent with a proof for the same request.
@Suite("Calls with an access token that is bound to the device key")
struct BoundAppCallTests {
    private static let url = "https://api.example.com/v1/session/orders?page=2"

    private func fixture() async throws -> (fixture: ClientFixture, token: String) {
        let fixture = try await ClientFixture(signedIn: false)
        return (fixture, try await fixture.signInBound())
    }

    private func request() throws -> URLRequest { URLRequest(url: try #require(URL(string: Self.url))) }

    @Test("A call with a bound token has the DPoP scheme and a proof with method, URL without query, and token hash")
    func proof() async throws {
        let (fixture, token) = try await fixture()
        await fixture.transport.answer("/orders", .success())
        _ = try await fixture.client().data(for: request())
        let sent = try #require(await fixture.transport.requests("/orders").first)
        #expect(sent.headers["authorization"] == "DPoP " + token)
        #expect(sent.proof?["htm"]?.stringValue == "GET")
        #expect(sent.proof?["htu"]?.stringValue == "https://api.example.com/v1/session/orders")
        let hash = TestToken.base64URL(Data(SHA256.hash(data: Data(token.utf8))))
        #expect(sent.proof?["ath"]?.stringValue == hash)
        #expect(sent.proof?["nonce"] == nil)
    }

    // Proves: E8
    @Test("A call is repeated with the backend's nonce, which is kept for this backend only")
    func nonce() async throws {
        let (fixture, _) = try await fixture()
        let client = try fixture.client()
        await fixture.transport.answer(
            "/orders", .errorResponse(401, "use_dpop_nonce", headers: ["dpop-nonce": "n1"]), .success(), .success())
        await fixture.transport.answer("/refresh", .offline, .offline)
        #expect(try await client.data(for: request()).1.statusCode == 204)
        _ = try await client.data(for: request())
        let sent = await fixture.transport.requests("/orders")
        #expect(sent.map { $0.proof?["nonce"]?.stringValue } == [nil, "n1", "n1"])
        #expect(Set(sent.compactMap { $0.proof?["jti"]?.stringValue }).count == 3)
        try await client.invalidateSession()
        _ = try await failure { try await client.refresh() }
        #expect(await fixture.transport.requests("/refresh").first?.proof?["nonce"] == nil)
    }
}

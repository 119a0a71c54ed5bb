import Crypto
import Foundation
import Testing

@testable import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// RFC 9449 §7.1: a bound token is sent with a proof, to the session service too.
@Suite("A session whose access token is bound to the device key")
struct BoundSessionTests {
    private static let empty = #"{"sessions":[],"total":0,"limit":10,"offset":0}"#

    private func bound(to thumbprint: String? = nil) async throws -> (fixture: ClientFixture, token: String) {
        let fixture = try await ClientFixture(signedIn: false)
        return (fixture, try await fixture.signInBound(to: thumbprint))
    }

    private func hash(_ token: String) -> String {
        TestToken.base64URL(Data(SHA256.hash(data: Data(token.utf8))))
    }

    @Test("A bound session of an earlier launch sends its token with the DPoP scheme and the token hash")
    func scheme() async throws {
        let (fixture, token) = try await bound()
        await fixture.transport.answer("/me/list", .success(Self.empty))
        _ = try await fixture.client().listSessions()
        let sent = try #require(await fixture.transport.requests("/me/list").first)
        #expect(sent.headers["authorization"] == "DPoP " + token)
        #expect(sent.proof?["ath"]?.stringValue == hash(token))
    }

    @Test("Every call with a bound token sends a proof: lists, identifiers, revocations, step-up, password")
    func everyCall() async throws {
        let (fixture, token) = try await bound()
        let client = try fixture.client()
        await fixture.transport.answer("/me/list", .success(Self.empty))
        await fixture.transport.answer("/me/identifiers", .success(#"{"identifiers":[]}"#))
        await fixture.transport.answer("/me/revoke", .success())
        await fixture.transport.answer("/stepup/request", ClientFixture.decision(nil, status: "block"))
        await fixture.transport.answer("/me/password/reset", .success())
        _ = try await client.listSessions()
        _ = try await client.fetchIdentifiers()
        try await client.revokeSessions(.others)
        _ = try await client.requestStepUp(scope: "transfer:write")
        try await client.changePassword(RedactedString("correct horse battery"))
        let sent = await fixture.transport.sent
        #expect(sent.count == 5)
        for request in sent {
            #expect(request.headers["authorization"] == "DPoP " + token, "\(request.path)")
            #expect(request.proof?["ath"]?.stringValue == hash(token), "\(request.path)")
        }
    }

    @Test("A call that gets a nonce is repeated with it and with a new proof")
    func nonce() async throws {
        let (fixture, token) = try await bound()
        await fixture.transport.answer(
            "/me/list", .errorResponse(400, "use_dpop_nonce", headers: ["dpop-nonce": "n1"]), .success(Self.empty))
        _ = try await fixture.client().listSessions()
        let sent = await fixture.transport.requests("/me/list")
        #expect(sent.map { $0.proof?["nonce"]?.stringValue } == [nil, "n1"])
        #expect(sent.map { $0.proof?["ath"]?.stringValue } == [hash(token), hash(token)])
        #expect(Set(sent.compactMap { $0.proof?["jti"]?.stringValue }).count == 2)
    }

    @Test("After a refresh the new token is sent by its own kind, bound or not", arguments: [true, false])
    func switched(isBound: Bool) async throws {
        let (fixture, _) = try await bound()
        let client = try fixture.client()
        let next =
            isBound
            ? ClientFixture.boundToken("access-1", to: try await fixture.keyThumbprint()) : TestToken.access("access-1")
        await fixture.transport.answer(
            "/refresh", fixture.answer(bound: next, tokenType: isBound ? "DPoP" : "Bearer"))
        await fixture.transport.answer("/me/list", .success(Self.empty))
        try await client.invalidateSession()
        _ = try await client.listSessions()
        let sent = try #require(await fixture.transport.requests("/me/list").first)
        #expect(sent.headers["authorization"] == (isBound ? "DPoP " : "Bearer ") + next)
    }

    @Test(
        "A response whose token_type contradicts its token is rejected, and the session is kept",
        arguments: ["Bearer", "mac", ""])
    func contradiction(tokenType: String) async throws {
        let (fixture, _) = try await bound()
        let client = try fixture.client()
        let token = ClientFixture.boundToken("access-1", to: try await fixture.keyThumbprint())
        await fixture.transport.answer("/refresh", fixture.answer(bound: token, tokenType: tokenType))
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "refreshFailed")
        #expect(try await fixture.stored()?.refreshToken == "refresh-0")
    }

    @Test("A DPoP response with an unbound token is rejected")
    func unbound() async throws {
        let (fixture, _) = try await bound()
        let client = try fixture.client()
        await fixture.transport.answer("/refresh", fixture.answer(bound: TestToken.access("access-1")))
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "refreshFailed")
    }

    @Test(
        "A response without token_type is accepted, and the case of token_type is ignored", arguments: [nil, "dpop"])
    func leniency(tokenType: String?) async throws {
        let (fixture, _) = try await bound()
        let client = try fixture.client()
        let token = ClientFixture.boundToken("access-1", to: try await fixture.keyThumbprint())
        await fixture.transport.answer("/refresh", fixture.answer(bound: token, tokenType: tokenType))
        try await client.invalidateSession()
        #expect(try await client.refresh().accessToken == token)
    }
}

/// The access token is bound to a key, and the device has another key or none.
@Suite("A bound access token without its key")
struct BoundWithoutKeyTests {
    @Test("A key mismatch at the service ends the session with a lost key")
    func another() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.signInBound(to: "another-key")
        await fixture.transport.answer("/refresh", .errorResponse(401, "dpop_key_mismatch"))
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.listSessions() } == "deviceKeyLost")
        #expect(await fixture.transport.count("/me/list") == 0)
        #expect(try await fixture.stored() == nil)
    }

    @Test("A missing key ends the session at the next call")
    func gone() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.signInBound()
        try await fixture.store.delete(ClientFixture.name + ".key")
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.fetchIdentifiers() } == "deviceKeyLost")
        #expect(try await fixture.stored() == nil)
    }

    @Test("A missing key without a network keeps the session")
    func offline() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.signInBound(to: "another-key")
        await fixture.transport.answer("/refresh", .offline, .offline)
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.listSessions() } == "network")
        #expect(try await fixture.stored() != nil)
    }

    @Test("A missing key ends the session at a call to the backend before anything is sent")
    func backend() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.signInBound(to: "another-key")
        await fixture.transport.answer("/refresh", .errorResponse(401, "dpop_key_mismatch"))
        let client = try fixture.client()
        let url = try #require(URL(string: "https://api.example.com/v1/session/orders"))
        #expect(try await failure { _ = try await client.data(for: URLRequest(url: url)) } == "deviceKeyLost")
        #expect(await fixture.transport.count("/orders") == 0)
        #expect(try await fixture.stored() == nil)
    }

    @Test("A key and a session that another process stored meanwhile are used, and the session is kept")
    func replaced() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.signInBound()
        let client = try fixture.client()
        await fixture.transport.answer("/me/list", .success(#"{"sessions":[],"total":0,"limit":10,"offset":0}"#))
        await fixture.transport.answer("/me/identifiers", .success(#"{"identifiers":[]}"#))
        _ = try await client.listSessions()
        // Another process stores a new key and tokens that are bound to it.
        _ = try await PreludeSoftwareDeviceKeyStore(store: fixture.store).makeKey(ClientFixture.name)
        let token = ClientFixture.boundToken("access-9", to: try await fixture.keyThumbprint())
        let stored = StoredSession(
            refreshToken: "refresh-9", accessToken: token,
            accessTokenExpiresAt: fixture.clock.now.addingTimeInterval(300)
        )
        try await fixture.store.write(try stored.encoded(), to: ClientFixture.name + ".session")
        try await client.invalidateSession()
        _ = try await client.fetchIdentifiers()
        let sent = try #require(await fixture.transport.requests("/me/identifiers").first)
        #expect(sent.headers["authorization"] == "DPoP " + token)
        #expect(await fixture.transport.count("/refresh") == 0)
    }
}

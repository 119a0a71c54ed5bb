import Foundation
import Testing

@testable import PreludeSession

@Suite("Revocations at the start of a client", .timeLimit(.minutes(5)))
struct RevocationsAtStartTests {
    /// A device whose user has logged out, with this response to the revocation.
    private func loggedOut(answering answer: ScriptedTransport.Answer) async throws -> ClientFixture {
        let fixture = try await ClientFixture()
        await fixture.transport.answer("/revoke", answer)
        try await fixture.client().logoutAndRevoke()
        #expect(await fixture.transport.count("/revoke") == 1)
        return fixture
    }

    // Proves: E7
    @Test("A new client revokes what an earlier one could not, before any call")
    func atStart() async throws {
        let fixture = try await loggedOut(answering: .offline)
        await fixture.transport.answer("/revoke", .success())
        let client = try fixture.client()
        await fixture.transport.arrival(of: "/revoke", count: 2)
        #expect(await fixture.transport.requests("/revoke").last?.headers["x-refresh-token"] == "refresh-0")
        await client.engine.revocations.send().value
        #expect(try await fixture.store.read(ClientFixture.name + ".revocations") == nil)
        #expect(await fixture.transport.count("/revoke") == 2)
    }

    // Proves: E7
    @Test(
        "A revocation that a captive portal or a proxy answered is sent again",
        arguments: [
            ScriptedTransport.Answer.proxyResponse(403), .proxyResponse(401), .proxyResponse(407), .success("<html>"),
        ])
    func portal(answer: ScriptedTransport.Answer) async throws {
        let fixture = try await loggedOut(answering: answer)
        await fixture.transport.answer("/revoke", .success())
        _ = try fixture.client()
        await fixture.transport.arrival(of: "/revoke", count: 2)
    }

    @Test("A client without old revocations sends nothing at its start")
    func nothing() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await client.engine.revocations.send().value
        #expect(await fixture.transport.sent.isEmpty)
    }
}

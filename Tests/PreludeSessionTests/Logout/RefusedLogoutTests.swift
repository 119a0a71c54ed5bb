import Foundation
import Testing

@testable import PreludeSession

@Suite("A logout that the store refuses", .timeLimit(.minutes(5)))
struct RefusedLogoutTests {
    /// A client that has logged out while the store refused all writes.
    private func refused(answering answers: ScriptedTransport.Answer) async throws -> (
        ClientFixture, PreludeSessionClient
    ) {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = try await client.refresh()
        await fixture.store.refuse(.writes)
        await fixture.transport.answer("/revoke", answers)
        #expect(try await failure { try await client.logoutAndRevoke() } == "storageUnavailable")
        return (fixture, client)
    }

    // Proves: R22, E7
    @Test("A logout whose queue and wipe the store refuses is revoked at once")
    func revokedAtOnce() async throws {
        let (fixture, client) = try await refused(answering: .success())
        #expect(await fixture.transport.requests("/revoke").map { $0.headers["x-refresh-token"] } == ["refresh-0"])
        #expect(await client.profile == nil)
    }

    // Proves: E7
    @Test("A logout that store and network refuse is revoked when both work again")
    func revokedLater() async throws {
        let (fixture, client) = try await refused(answering: .offline)
        await fixture.store.refuse(.nothing)
        await fixture.transport.answer("/revoke", .offline)
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        await fixture.transport.arrival(of: "/revoke", count: 2)
        // The store has the entry by now, so it survives the process.
        await fixture.transport.answer("/revoke", .success())
        _ = try fixture.client()
        await fixture.transport.arrival(of: "/revoke", count: 3)
        #expect(await fixture.transport.requests("/revoke").last?.headers["x-refresh-token"] == "refresh-0")
    }

    // Proves: E7
    @Test("A wipe that is finished later keeps the login of another process")
    func newerLogin() async throws {
        let (fixture, client) = try await refused(answering: .success())
        await fixture.store.refuse(.nothing)
        try await fixture.signIn(session: "ses_2")
        #expect(await client.profile?.sessionID == "ses_2")
        #expect(try await fixture.stored()?.sessionID == "ses_2")
    }

    @Test("A wipe without a session keeps the later login of another process")
    func loginAfterNothing() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.store.refuse(.writes)
        #expect(try await failure { try await client.logoutAndRevoke() } == "storageUnavailable")
        await fixture.store.refuse(.nothing)
        try await fixture.signIn(session: "ses_2")
        #expect(await client.profile?.sessionID == "ses_2")
    }

    // Proves: R22
    @Test("A wipe that is finished later deletes the session although another process has refreshed it")
    func refreshedMeanwhile() async throws {
        let (fixture, client) = try await refused(answering: .success())
        await fixture.store.refuse(.nothing)
        var refreshed = try #require(try await fixture.stored())
        refreshed.refreshToken = "refresh-1"
        try await fixture.store.write(try refreshed.encoded(), to: ClientFixture.name + ".session")
        await fixture.transport.answer("/revoke", .success())
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        await fixture.transport.arrival(of: "/revoke", count: 2)
        #expect(await fixture.transport.requests("/revoke").last?.headers["x-refresh-token"] == "refresh-1")
    }

    @Test("The own session that was revoked here is deleted later, and a newer login is not")
    func revokedHere() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = try await client.refresh()
        await fixture.store.refuse(.writes)
        await fixture.transport.answer("/me/revoke", .success())
        #expect(try await failure { try await client.revokeSessions(.mine) } == "storageUnavailable")
        await fixture.store.refuse(.nothing)
        try await fixture.signIn(session: "ses_2")
        #expect(await client.profile?.sessionID == "ses_2")
    }
}

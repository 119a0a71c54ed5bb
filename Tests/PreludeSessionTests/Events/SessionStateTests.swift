import Foundation
import Testing

@testable import PreludeSession

@Suite("The states of a session", .timeLimit(.minutes(5)))
struct SessionStateTests {
    private func sessionID(_ state: SessionState?) -> String? {
        if case .signedIn(let profile)? = state { profile.sessionID } else { nil }
    }

    /// Ends the session of a client at its next refresh, as the service does it with this code.
    private func end(
        _ fixture: ClientFixture, _ client: PreludeSessionClient, code: String = "unauthorized"
    ) async throws {
        await fixture.transport.answer("/refresh", .errorResponse(401, code))
        try await client.invalidateSession()
        _ = try await failure { try await client.refresh() }
    }

    @Test("A stream begins with the current state and has each change, and each caller has its own")
    func stream() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        var first = await client.states.makeAsyncIterator()
        #expect(sessionID(await first.next()) == "ses_1")
        try await end(fixture, client)
        #expect(await first.next() == .signedOut(.ended))
        var second = await client.states.makeAsyncIterator()
        #expect(await second.next() == .signedOut(.ended))
    }

    @Test("A refresh that changes no claim is no change of the state")
    func refreshed() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        var states = await client.states.makeAsyncIterator()
        #expect(sessionID(await states.next()) == "ses_1")
        await fixture.transport.answer("/refresh", fixture.refreshed(1), fixture.refreshed(2, scope: "new"))
        for _ in 0..<2 {
            try await client.invalidateSession()
            try await client.refresh()
        }
        guard case .signedIn(let profile)? = await states.next() else { return #expect(Bool(false)) }
        #expect(profile.extras["scope"] == .string("new"))
    }

    // Proves: E6
    @Test("A reload finds the sign-out of another process, and emits it with the reason of the service")
    func signedOutElsewhere() async throws {
        for reason in ["another_client", "ended"] {
            let fixture = try await ClientFixture()
            let client = try fixture.client()
            #expect(sessionID(await client.reload()) == "ses_1")
            var events = await client.events.makeAsyncIterator()
            let other = try fixture.client()
            await fixture.transport.answer("/revoke", .success())
            if reason == "ended" { try await end(fixture, other) } else { try await other.logoutAndRevoke() }
            #expect(await client.reload() == .signedOut(PreludeSignOutReason(rawValue: reason)))
            #expect(await events.next() == .signedOut(PreludeSignOutReason(rawValue: reason)))
            #expect(await client.profile == nil)
        }
    }

    @Test("A reload finds the refresh and the login of another process, and emits them")
    func changedElsewhere() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        #expect(sessionID(await client.reload()) == "ses_1")
        var events = await client.events.makeAsyncIterator()
        let other = try fixture.client()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await other.invalidateSession()
        let token = try await other.refresh().accessToken
        await client.reload()
        #expect(await client.accessToken == token)
        guard case .refreshed? = await events.next() else { return #expect(Bool(false), "no event of the refresh") }
        try await fixture.signIn(session: "ses_2")
        #expect(sessionID(await client.reload()) == "ses_2")
        guard case .signedIn(let profile)? = await events.next() else {
            return #expect(Bool(false), "no event of the login")
        }
        #expect(profile.sessionID == "ses_2")
    }

    @Test("A reload that reads during a refresh does not bring the spent token back")
    func overtakenReload() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        let hold = await fixture.store.hold(.read, ".session")
        async let reloaded = client.reload()
        await hold.arrived.wait()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await client.invalidateSession()
        let token = try await client.refresh().accessToken
        await hold.released.open()
        _ = await reloaded
        #expect(await client.accessToken == token)
    }

    // Proves: E6
    @Test(
        "The reason of a sign-out survives a relaunch, and the next login deletes it",
        arguments: [("unauthorized", PreludeSignOutReason.ended), ("dpop_key_mismatch", .deviceKeyLost), ("", .logout)])
    func reason(code: String, reason: PreludeSignOutReason) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        await fixture.transport.answer("/revoke", .success())
        if code.isEmpty { try await client.logoutAndRevoke() } else { try await end(fixture, client, code: code) }
        let relaunched = try fixture.client()
        #expect(await relaunched.reload() == .signedOut(reason))
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await relaunched.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words"))
        #expect(try await fixture.store.read(ClientFixture.name + ".sign-out") == nil)
    }

    @Test("A logout without a session keeps the reason of the last sign-out")
    func secondLogout() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await end(fixture, client)
        try await client.logout()
        #expect(await client.reload() == .signedOut(.ended))
        #expect(await (try fixture.client()).reload() == .signedOut(.ended))
    }

    @Test("A store that refuses the reason keeps no session")
    func refusedReason() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        await fixture.store.refuse(.growth)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        #expect(await (try fixture.client()).reload() == .signedOut(nil))
    }

    @Test(
        "A reason that this version cannot read is none",
        arguments: ["?", #"{"version":2,"reason":"ended"}"#, #"{"version":1}"#])
    func strangeReason(record: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.store.write(Data(record.utf8), to: ClientFixture.name + ".sign-out")
        #expect(await (try fixture.client()).reload() == .signedOut(nil))
    }
}

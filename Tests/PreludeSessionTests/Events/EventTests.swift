import Foundation
import PreludeSession
import Testing

@Suite("Events of the session")
struct EventTests {
    /// The events during the work, as many as expected.
    private func events(
        _ count: Int, of client: PreludeSessionClient, during work: () async throws -> Void
    ) async throws -> [SessionEvent] {
        let stream = await client.events
        try await work()
        var events: [SessionEvent] = []
        for await event in stream {
            events.append(event)
            if events.count == count { break }
        }
        return events
    }

    @Test("A refresh emits one event with the new profile, however many callers share it")
    func refreshed() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "new"), fixture.refreshed(2))
        let events = try await events(2, of: client) {
            try await client.invalidateSession()
            async let first = client.refresh()
            async let second = client.refresh()
            _ = try await (first, second)
            try await client.invalidateSession()
            try await client.refresh()
        }
        guard case .refreshed(let profile) = events[0], case .refreshed = events[1] else {
            return #expect(Bool(false), "\(events)")
        }
        #expect(profile.extras["scope"] == .string("new"))
    }

    @Test("A logout emits one event with its reason")
    func logout() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        await fixture.transport.answer("/revoke", .success())
        let stream = await client.events
        try await client.logoutAndRevoke()
        try await client.logoutAndRevoke()
        // There was only one event: the next one is that of a login.
        await fixture.transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: "a@example.com", password: "x"))
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == .signedOut(.logout))
        guard case .signedIn = await iterator.next() else { return #expect(Bool(false), "a second sign-out") }
    }

    // Proves: E6
    @Test(
        "A rejected refresh emits a sign-out with its reason",
        arguments: [
            ("unauthorized", PreludeSignOutReason.ended), ("dpop_key_mismatch", .deviceKeyLost),
        ])
    func ended(code: String, reason: PreludeSignOutReason) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/refresh", .errorResponse(401, code))
        let events = try await events(1, of: client) {
            try await client.invalidateSession()
            _ = try await failure { try await client.refresh() }
        }
        #expect(events == [.signedOut(reason)])
    }

    @Test("Revoking this session emits an event, and a network error emits none")
    func revokedHere() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/refresh", .offline, .offline, fixture.refreshed(1))
        await fixture.transport.answer("/me/revoke", .success())
        let events = try await events(2, of: client) {
            try await client.invalidateSession()
            _ = try await failure { try await client.refresh() }
            try await client.revokeSessions(.mine)
        }
        guard case .refreshed = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(events.last == .signedOut(.revokedHere))
    }

    @Test("A session that another client ended emits a sign-out with this reason")
    func anotherClient() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        let events = try await events(1, of: client) {
            try await fixture.store.delete(ClientFixture.name + ".session")
            try await client.invalidateSession()
            _ = try await failure { try await client.refresh() }
        }
        #expect(events == [.signedOut(.anotherClient)])
    }

    @Test("Each caller has its own event stream")
    func followers() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        let (first, second) = (await client.events, await client.events)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        for stream in [first, second] {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == .signedOut(.logout))
        }
    }
}

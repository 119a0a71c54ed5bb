import Foundation
import SessionWire
import Testing

@testable import PreludeSession

@Suite("The identifiers of the user", .timeLimit(.minutes(5)))
struct IdentifiersTests {
    private static let typed = PreludeIdentifier(type: .emailAddress, value: "Ada@example.com")
    private static let stored = PreludeIdentifier(type: .emailAddress, value: "ada@example.com")
    private static let list = #"{"identifiers":[{"type":"email_address","value":"ada@example.com"}]}"#

    private func signedIn(_ fixture: ClientFixture) async throws -> PreludeSessionClient {
        let client = try fixture.client()
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v"]))
        await fixture.transport.answer(
            "/otp/check", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        try await client.startOTPLogin(StartOTPLoginOptions(identifier: Self.typed))
        _ = try await client.checkOTP("483920")
        return client
    }

    @Test("They are what the user has signed in with, also after a refresh and a relaunch without a network")
    func login() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await signedIn(fixture)
        #expect(await client.identifiers == [Self.typed])
        await fixture.transport.answer("/refresh", fixture.refreshed(2))
        try await client.invalidateSession()
        _ = try await client.refresh()
        #expect(await client.identifiers == [Self.typed])
        #expect(await (try fixture.client()).identifiers == [Self.typed])
    }

    @Test("They are what the service has after a fetch, also in the next launch, and a failed fetch keeps them")
    func fetch() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await signedIn(fixture)
        await fixture.transport.answer("/me/identifiers", .success(Self.list), .offline)
        #expect(try await client.fetchIdentifiers() == [Self.stored])
        #expect(await client.identifiers == [Self.stored])
        #expect(try await failure { try await client.fetchIdentifiers() } == "network")
        #expect(await (try fixture.client()).identifiers == [Self.stored])
    }

    @Test("A fetch during a refresh changes no token, and the refresh keeps what was fetched")
    func duringRefresh() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await signedIn(fixture)
        let gate = Gate()
        let user = try await client.refresh()
        await fixture.transport.answer("/refresh", .held(gate, fixture.refreshed(2)))
        await fixture.transport.answer("/me/identifiers", .success(Self.list))
        try await client.invalidateSession()
        async let refreshed = client.refresh()
        await fixture.transport.arrival(of: "/refresh")
        await client.engine.keep([Identifier(Self.stored)], of: user.profile.sessionID)
        await gate.open()
        let token = try await refreshed.accessToken
        #expect(await client.identifiers == [Self.stored])
        #expect(await fixture.transport.count("/refresh") == 1)
        #expect(try await fixture.stored()?.accessToken == token)
        #expect(try await fixture.stored()?.identifiers == [Identifier(Self.stored)])
    }

    @Test("A store that refuses them does not fail the fetch, and those of another session are not kept")
    func refused() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await signedIn(fixture)
        await client.engine.keep([Identifier(Self.stored)], of: "ses_2")
        #expect(await client.identifiers == [Self.typed])
        await fixture.store.refuse(.growth)
        await fixture.transport.answer("/me/identifiers", .success(Self.list))
        #expect(try await client.fetchIdentifiers() == [Self.stored])
        #expect(await client.identifiers == [Self.stored])
    }

    @Test("They end with the session, and without a session there are none")
    func ended() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try await signedIn(fixture)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        #expect(await client.identifiers.isEmpty)
        // A session of an earlier version has none.
        try await fixture.signIn()
        #expect(await (try fixture.client()).identifiers.isEmpty)
    }
}

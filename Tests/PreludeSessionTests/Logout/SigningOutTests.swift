import Foundation
import Testing

@testable import PreludeSession

@Suite("Signing out", .timeLimit(.minutes(5)))
struct SigningOutTests {
    private static let password = LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words")

    // Proves: E6
    @Test("A 401 of a proxy keeps the session", arguments: [false, true])
    func proxy(withStepUp: Bool) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        if withStepUp {
            let challenge = try await fixture.challenge(of: client)
            await fixture.transport.answer(
                "/otp/check", ClientFixture.next(TestToken.challenge("t1", step: "completed")))
            await fixture.transport.answer("/refresh", .proxyResponse(401))
            _ = try await failure { _ = try await client.submitStepUpOTP(challenge, code: "123456") }
            #expect(await client.activeStepUp?.currentStep == "completed", "the step-up waits for a better moment")
        }
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", .proxyResponse(401))
        #expect(try await failure { _ = try await client.refresh() } == "generic")
        #expect(try await fixture.stored() != nil)
        #expect(await client.profile != nil)
    }

    @Test("A proof that a proxy removed keeps the session", arguments: ["missing_dpop_proof", "tomorrows_code"])
    func otherCodes(code: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", .errorResponse(401, code))
        _ = try await failure { _ = try await client.refresh() }
        #expect(try await fixture.stored() != nil)
    }

    // Proves: E7
    @Test("A logout does not wait for a service that does not respond, and the revocation goes on")
    func unresponsiveService() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/revoke", .held(gate, .success()))
        try await client.logout()
        #expect(try await fixture.stored() == nil)
        #expect(try await fixture.store.read(ClientFixture.name + ".revocations") != nil)
        await fixture.transport.arrival(of: "/revoke")
        await gate.open()
        await client.revokeEndedSessions()
        #expect(try await fixture.store.read(ClientFixture.name + ".revocations") == nil)
        #expect(await fixture.transport.count("/revoke") == 1)
    }

    @Test("A second logout ends a newer login while the first logout still sends its revocation")
    func secondLogout() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/revoke", .held(gate, .success()), .success())
        async let first: Void = client.logoutAndRevoke()
        await fixture.transport.arrival(of: "/revoke")
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1, session: "ses_2"))
        _ = try await client.loginWithPassword(Self.password)
        async let second: Void = client.logoutAndRevoke()
        while try await fixture.stored() != nil { await Task.yield() }
        await gate.open()
        _ = try await (first, second)
        #expect(await client.profile == nil)
        #expect(await fixture.transport.count("/revoke") == 2)
    }

    // Proves: E7
    @Test("A logout on a full disk signs out and is revoked at once")
    func fullDisk() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = try? await client.refresh()
        await fixture.store.refuse(.growth)
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        #expect(try await fixture.stored() == nil)
        #expect(await fixture.transport.count("/revoke") == 1)
    }

    // Proves: E7
    @Test("A wipe that the store rejected is finished before the next read")
    func refusedWipe() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        await fixture.store.refuse(.writes)
        #expect(try await failure { try await client.logoutAndRevoke() } == "storageUnavailable")
        #expect(await client.profile == nil)
        await fixture.store.refuse(.nothing)
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
    }

    @Test("Sending old revocations delays no other call")
    func hangingRevocation() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/revoke", .offline)
        try await client.logoutAndRevoke()
        try await fixture.signIn(session: "ses_2")
        try await client.invalidateSession()
        let gate = Gate()
        await fixture.transport.answer(
            "/refresh", fixture.refreshed(1, session: "ses_2"), fixture.refreshed(2, session: "ses_2"))
        await fixture.transport.answer("/revoke", .held(gate, .success()))
        #expect(try await client.refresh().profile.sessionID == "ses_2")
        // The ended refresh is not repeated either.
        try await client.invalidateSession()
        #expect(try await client.refresh().profile.sessionID == "ses_2")
        #expect(await fixture.transport.count("/refresh") == 2)
        await gate.open()
    }

    @Test(
        "A damaged record prevents neither login nor logout",
        arguments: [
            "not json", #"{"version":2,"new":true}"#,
        ])
    func strangeRecord(record: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        try await fixture.store.write(Data(record.utf8), to: ClientFixture.name + ".session")
        try await fixture.store.write(Data("?".utf8), to: ClientFixture.name + ".device")
        let client = try fixture.client()
        let error = await #expect(throws: PreludeSessionError.self) { _ = try await client.refresh() }
        guard case .storageUnavailable(let text) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(
            text.text.contains("sign in again") || text.text.contains("update the app"), "\(text) says how to recover")
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        _ = try await client.loginWithPassword(Self.password)
        #expect(try await fixture.stored()?.sessionID == "ses_1")

        try await fixture.store.write(Data(record.utf8), to: ClientFixture.name + ".session")
        let other = try fixture.client()
        try await other.logoutAndRevoke()
        #expect(try await fixture.store.read(ClientFixture.name + ".session") == nil)
    }

    // Proves: E9
    @Test("A damaged key is replaced by the next login")
    func strangeKey() async throws {
        let fixture = try await ClientFixture()
        try await fixture.store.write(Data("?".utf8), to: ClientFixture.name + ".key")
        let client = try fixture.client()
        try await client.invalidateSession()
        #expect(try await failure { _ = try await client.refresh() } == "deviceKeyLost")
        #expect(try await fixture.stored() == nil)
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        #expect(try await client.loginWithPassword(Self.password).profile.sessionID == "ses_1")
    }

    @Test("A step-up that cannot be redeemed now does not withhold a valid token")
    func goodTokenAtHand() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let challenge = try await fixture.challenge(of: client)
        await fixture.transport.answer("/otp/check", ClientFixture.next(TestToken.challenge("t1", step: "completed")))
        await fixture.transport.answer("/refresh", .offline, .offline, .proxyResponse(503), .proxyResponse(503))
        #expect(try await failure { _ = try await client.submitStepUpOTP(challenge, code: "1") } == "network")
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        await fixture.transport.answer("/refresh", fixture.refreshed(1, scope: "transfer:write"))
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
    }
}

import Foundation
import Testing

@testable import PreludeSession

@Suite("A login that ends during a logout", .timeLimit(.minutes(5)))
struct LogoutDuringLoginTests {
    private static let password = LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words")

    /// A signed-in client whose login as `ses_2` succeeds when the gate is opened.
    private func fixture() async throws -> (ClientFixture, PreludeSessionClient, Gate) {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        let gate = await fixture.holdPasswordLogin(session: "ses_2")
        await fixture.transport.answer("/revoke", .success(), .success(), .success())
        return (fixture, client, gate)
    }

    /// Expects that no user is signed in, and that the server revokes both sessions.
    private func expectSignedOut(
        _ fixture: ClientFixture, _ client: PreludeSessionClient, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await fixture.stored() == nil, sourceLocation: sourceLocation)
        #expect(await client.profile == nil, sourceLocation: sourceLocation)
        await fixture.transport.arrival(of: "/revoke", count: 2)
        #expect(await revoked(fixture) == ["refresh-0", "refresh-1"], sourceLocation: sourceLocation)
    }

    private func revoked(_ fixture: ClientFixture) async -> Set<String?> {
        Set(await fixture.transport.requests("/revoke").map { $0.headers["x-refresh-token"] })
    }

    // Proves: E5
    @Test(
        "A login that ends during a logout signs no user in, and the server revokes its session",
        arguments: [(FaultyStore.Use.read, ".session"), (.write, ".revocations")])
    func duringLogout(use: FaultyStore.Use, record: String) async throws {
        let (fixture, client, gate) = try await fixture()
        async let login = failure { _ = try await client.loginWithPassword(Self.password) }
        await fixture.transport.arrival(of: "/login/email/password")
        let hold = await fixture.store.hold(use, record)
        async let logout: Void = client.logoutAndRevoke()
        await hold.arrived.wait()
        await gate.open()
        if use == .read {
            #expect(try await login == "unauthorized")
            await hold.released.open()
        } else {
            // The login's revocation is queued after the logout's.
            await fixture.transport.arrival(of: "/login/finalize")
            for _ in 0..<200 { await Task.yield() }
            await hold.released.open()
            #expect(try await login == "unauthorized")
        }
        try await logout
        try await expectSignedOut(fixture, client)
    }

    // Proves: E5
    @Test("A login whose credentials are being written during a logout signs no user in")
    func duringWrite() async throws {
        let (fixture, client, gate) = try await fixture()
        async let login = failure { _ = try await client.loginWithPassword(Self.password) }
        await fixture.transport.arrival(of: "/login/email/password")
        let hold = await fixture.store.hold(.write, ".session")
        await gate.open()
        await hold.arrived.wait()
        async let logout: Void = client.logoutAndRevoke()
        while await client.engine.machine.session != nil { await Task.yield() }
        await hold.released.open()
        #expect(try await login == "unauthorized")
        try await logout
        try await expectSignedOut(fixture, client)
    }

    // Proves: E5
    @Test(
        "A login that begins after the call of a logout does not end with it",
        arguments: [(FaultyStore.Use.read, ".session"), (.write, ".revocations")])
    func after(use: FaultyStore.Use, record: String) async throws {
        let (fixture, client, gate) = try await fixture()
        await gate.open()
        let hold = await fixture.store.hold(use, record)
        async let logout: Void = client.logoutAndRevoke()
        await hold.arrived.wait()
        async let login = client.loginWithPassword(Self.password)
        for _ in 0..<200 { await Task.yield() }
        await hold.released.open()
        try await logout
        #expect(try await login.profile.sessionID == "ses_2")
        #expect(try await fixture.stored()?.sessionID == "ses_2")
        #expect(await client.sessionID == "ses_2")
        #expect(await revoked(fixture) == ["refresh-0"])
    }

    @Test("A login with a code that is started after the call of a logout does not end with it")
    func startedAfter() async throws {
        let (fixture, client, _) = try await fixture()
        await fixture.transport.answer("/otp", .success(headers: ["x-verification-token": "v-1"]))
        let options = StartOTPLoginOptions(
            identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com"))
        let hold = await fixture.store.hold(.read, ".session")
        async let logout: Void = client.logoutAndRevoke()
        await hold.arrived.wait()
        async let start: Void = client.startOTPLogin(options)
        for _ in 0..<200 { await Task.yield() }
        await hold.released.open()
        try await logout
        try await start
        #expect(await client.pendingLogin == options)
        #expect(await (try fixture.client()).pendingLogin == options)
    }

    @Test("A login that ends during a logout is revoked on the server although the disk is full")
    func fullDisk() async throws {
        let (fixture, client, gate) = try await fixture()
        async let login = failure { _ = try await client.loginWithPassword(Self.password) }
        await fixture.transport.arrival(of: "/login/email/password")
        await fixture.store.refuse(.growth)
        try await client.logoutAndRevoke()
        await gate.open()
        #expect(try await login == "unauthorized")
        #expect(await revoked(fixture) == ["refresh-0", "refresh-1"])
    }

    // Proves: E7
    @Test("A login of another process is revoked when the logout deletes its record")
    func otherProcess() async throws {
        let (fixture, client, _) = try await fixture()
        let hold = await fixture.store.hold(.write, ".revocations")
        async let logout: Void = client.logoutAndRevoke()
        await hold.arrived.wait()
        try await fixture.signIn(session: "ses_2", refreshToken: "refresh-1")
        await hold.released.open()
        try await logout
        #expect(try await fixture.stored() == nil)
        #expect(await revoked(fixture) == ["refresh-0", "refresh-1"])
    }

    @Test("A wipe that the store rejected is finished after another logout began")
    func refusedWipe() async throws {
        let (fixture, client, _) = try await fixture()
        await fixture.store.refuse(.writes)
        _ = try await failure { try await client.logoutAndRevoke() }
        let hold = await fixture.store.hold(.read, ".session")
        async let logout = failure { try await client.logoutAndRevoke() }
        await hold.arrived.wait()
        await fixture.store.refuse(.nothing)
        #expect(await client.profile == nil)
        #expect(try await fixture.stored() == nil)
        await hold.released.open()
        _ = try await logout
    }
}

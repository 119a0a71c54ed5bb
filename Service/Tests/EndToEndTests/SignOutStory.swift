import PreludeSession
import PreludeSessionTesting
import Testing

@Suite("Signing out", .eachStore)
struct SignOutStory {
    @Test("Signing out ends the session on the server, and a second time is not an error")
    func logout() async throws {
        let world = try await ServiceWorld()
        let phone = try await world.signedIn()
        let laptop = try await world.signedIn()
        try await phone.logout()
        try await phone.logout()
        await phone.revokeEndedSessions()
        #expect(await phone.profile == nil)
        #expect(try await laptop.listSessions().total == 1)
    }

    // Proves: E7
    @Test("Signing out offline works at once, and the session is revoked later", .timeLimit(.minutes(5)))
    func offlineLogout() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let store = PreludeInMemoryCredentialStore()
        let phone = try await world.signedIn(store: store, faults: faults)
        let laptop = try await world.signedIn()
        faults.isOffline = true
        try await phone.logout()
        await phone.revokeEndedSessions()
        #expect(await phone.accessToken == nil)
        #expect(try await laptop.listSessions().total == 2)
        faults.isOffline = false
        _ = try await world.signedIn("other@example.com", store: store, faults: faults)
        // The login does not wait for the revocation. Without a revocation the test reaches its time limit.
        while try await laptop.listSessions().total != 1 { await Task.yield() }
    }

    // Proves: R22, E7
    @Test(
        "A session that ended offline is revoked when any client of the service starts", .timeLimit(.minutes(5)))
    func offlineLogoutAndStart() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let store = PreludeInMemoryCredentialStore()
        let phone = try await world.signedIn(store: store, faults: faults)
        let laptop = try await world.signedIn()
        faults.isOffline = true
        try await phone.logout()
        await phone.revokeEndedSessions()
        _ = try world.client(store: store, faults: faults)
        #expect(try await laptop.listSessions().total == 2)
        faults.isOffline = false
        // No call follows. Without a revocation the test reaches its time limit.
        _ = try world.client(store: store)
        while try await laptop.listSessions().total != 1 { await Task.yield() }
    }

    // Proves: E5
    @Test("A refresh in progress at logout does not restore the session")
    func lateRefresh() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let store = PreludeInMemoryCredentialStore()
        let client = try await world.signedIn(store: store, faults: faults)
        world.clock.advance(seconds: 280)
        faults.interrupt(.refresh) { try await client.logout() }
        let error = await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        #expect(error.map(isUnauthorized) == true)
        #expect(await client.profile == nil)
        let relaunched = try world.client(store: store, faults: faults)
        #expect(await relaunched.profile == nil)
    }

    // Proves: E5
    @Test("A refresh in progress at another login does not overwrite the new session")
    func lateRefreshAfterLogin() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try await world.signedIn("one@example.com", faults: faults)
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "two@example.com")))
        let code = try world.code(for: "two@example.com")
        world.clock.advance(seconds: 280)
        faults.interrupt(.refresh) { _ = try await client.checkOTP(code) }
        await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        #expect(try await client.fetchIdentifiers().map(\.value) == ["two@example.com"])
    }

    @Test("Revoking the own session deletes it on the device, and a blank id is rejected before any call")
    func revokeOwn() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try await world.signedIn(faults: faults)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.revokeSessions(.session(id: " "))
        }
        guard case .invalidConfiguration = error else { return #expect(Bool(false)) }
        #expect(world.count(.revokeSessions) == 0)
        let id = try #require(await client.sessionID)
        try await client.revokeSessions(.session(id: id))
        #expect(await client.profile == nil)
    }

    @Test("A new login on the device replaces its old session")
    func replaced() async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        _ = try await client.checkOTP(try world.code(for: "ada@example.com"))
        #expect(try await client.listSessions().total == 1)
    }
}

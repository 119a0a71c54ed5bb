import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Unit tests of failures, as the developer of an app writes them.
@Suite("Failures that an app must handle")
struct FailureTests {
    /// Lets the access token expire, so that the next `refresh()` sends a request.
    private func expire(_ service: TestService) { service.clock.advance(by: .seconds(301)) }

    private func isNetwork(_ error: any Error) -> Bool {
        if case PreludeSessionError.network = error { true } else { false }
    }

    private func isUnauthorized(_ error: any Error) -> Bool {
        if case PreludeSessionError.unauthorized = error { true } else { false }
    }

    // Proves: E12
    @Test("A lost response is requested again, and the call succeeds")
    func droppedAnswer() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        expire(service)
        service.faults.inject(.dropAnswer, on: .refresh)
        try await client.refresh()
        #expect(service.requests.filter { $0.call == .refresh }.map(\.status) == [nil, 200])
    }

    @Test("Repeatedly lost responses do not end the session")
    func droppedAnswers() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        expire(service)
        service.faults.inject(.dropAnswer, on: .refresh, times: 2)
        await #expect(performing: { try await client.refresh() }, throws: isNetwork)
        try await client.refresh()
        #expect(service.requests.filter { $0.call == .refresh }.map(\.status) == [nil, nil, 200])
    }

    @Test("A lost request does not reach the service")
    func droppedRequest() async throws {
        let service = try await TestService()
        let client = try service.client()
        service.faults.inject(.dropRequest, on: .sendOTP)
        let options = StartOTPLoginOptions(
            identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com"))
        await #expect(performing: { try await client.startOTPLogin(options) }, throws: isNetwork)
        #expect(service.mailbox.isEmpty)
        try await client.startOTPLogin(options)
        #expect(service.mailbox.count == 1)
    }

    @Test("A session that was revoked elsewhere ends at the next refresh")
    func revokedElsewhere() async throws {
        let service = try await TestService()
        let client = try await service.signedIn("ada@example.com")
        try await service.revokeEverything(of: "ada@example.com")
        expire(service)
        await #expect(performing: { try await client.refresh() }, throws: isUnauthorized)
        #expect(await client.profile == nil)
    }

    @Test("A test can name a user by the user's id")
    func revokedByID() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        try await service.revokeEverything(of: try #require(await client.profile?.userID))
        expire(service)
        await #expect(performing: { try await client.refresh() }, throws: isUnauthorized)
    }

    @Test("A suspended user cannot sign in")
    func suspended() async throws {
        let service = try await TestService()
        _ = try await service.signedIn("ada@example.com")
        try await service.suspend("ada@example.com")
        await #expect(throws: (any Error).self) { try await service.signedIn("ada@example.com") }
    }

    // Proves: E2
    @Test("An app launched offline knows its user, and continues when the network returns")
    func offlineLaunch() async throws {
        let service = try await TestService()
        let store = PreludeInMemoryCredentialStore()
        let user = try await #require(service.signedIn(store: store).profile)
        expire(service)
        service.faults.isOffline = true
        let relaunched = try service.client(store: store)
        #expect(await relaunched.profile == user)
        await #expect(performing: { try await relaunched.refresh() }, throws: isNetwork)
        service.faults.isOffline = false
        #expect(try await relaunched.refresh().profile == user)
    }

    // Proves: E2
    @Test("An app launched offline can use a token that is still valid")
    func offlineLaunchWithToken() async throws {
        let service = try await TestService()
        let store = PreludeInMemoryCredentialStore()
        let token = try await service.signedIn(store: store).accessToken
        service.faults.isOffline = true
        #expect(try await service.client(store: store).refresh().accessToken == token)
    }

    // Proves: E2
    @Test("A call to the app's backend fails with a network error while offline", arguments: [false, true])
    func offlineCall(isSpent: Bool) async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        if isSpent { expire(service) }
        service.serveBackend { _ in TestService.BackendAnswer(status: 401) }
        service.faults.isOffline = true
        let url = try #require(URL(string: "https://api.example.com/balance"))
        await #expect(performing: { _ = try await client.data(for: URLRequest(url: url)) }, throws: isNetwork)
        #expect(await client.profile != nil)
    }

    @Test("One device can be offline while another is online")
    func oneDeviceOffline() async throws {
        let service = try await TestService()
        let plane = TestService.Faults()
        let phone = try await service.signedIn(faults: plane)
        let tablet = try await service.signedIn()
        plane.isOffline = true
        expire(service)
        try await tablet.refresh()
        await #expect(performing: { try await phone.refresh() }, throws: isNetwork)
    }

    // Proves: E1
    @Test("An app launched on a locked device stays signed in, and works after the device is unlocked")
    func lockedDevice() async throws {
        let service = try await TestService()
        let store = FaultyCredentialStore()
        let user = try await #require(service.signedIn(store: store).profile)
        store.lock()
        let relaunched = try service.client(store: store)
        await #expect {
            try await relaunched.refresh()
        } throws: {
            if case PreludeSessionError.storageUnavailable = $0 { true } else { false }
        }
        store.unlock()
        #expect(try await relaunched.refresh().profile == user)
    }

    // Proves: E6
    @Test("An error of the service does not end the session", arguments: [500, 503])
    func serverError(status: Int) async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        expire(service)
        service.faults.inject(.answer(status), on: .refresh)
        await #expect {
            try await client.refresh()
        } throws: {
            if case PreludeSessionError.internalServerError = $0 { true } else { false }
        }
        try await client.refresh()
        #expect(service.requests.suffix(2).map(\.status) == [status, 200])
    }

    @Test("A rejected refresh signs out, and the events name the reason")
    func unauthorized() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        var events = await client.events.makeAsyncIterator()
        expire(service)
        service.faults.inject(.answer(401), on: .refresh)
        await #expect(performing: { try await client.refresh() }, throws: isUnauthorized)
        #expect(await events.next() == .signedOut(.ended))
    }

    @Test("A response that takes too long is a timeout and does not end the session")
    func timeout() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        expire(service)
        service.faults.inject(.timeOut)
        await #expect {
            try await client.refresh()
        } throws: {
            if case PreludeSessionError.timeout = $0 { true } else { false }
        }
        try await client.refresh()
    }

    @Test("A fault applies as many times as it was injected, or until it is cleared")
    func clearing() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        service.faults.inject(.dropRequest, on: .listSessions, times: 2)
        for _ in 1...2 { await #expect(performing: { try await client.listSessions() }, throws: isNetwork) }
        #expect(try await client.listSessions().sessions.count == 1)
        service.faults.inject(.dropRequest, times: .max)
        await #expect(performing: { try await client.listSessions() }, throws: isNetwork)
        service.faults.clear()
        _ = try await client.listSessions()
    }
}

import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

@Suite("Staying signed in", .eachStore)
struct StaySignedInStory {
    private let refreshPath = "/v1/session/refresh"

    // Proves: E3, E10
    @Test("A valid token comes from the cache, and a thousand callers with an expired one cause one request")
    func coalescing() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try await world.signedIn(faults: faults)
        let before = try await client.refresh()
        #expect(world.count(.refresh) == 0)
        world.clock.advance(seconds: 280)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1000 { group.addTask { try await client.refresh().accessToken } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(!tokens.contains(before.accessToken))
        #expect(world.count(.refresh) == 1)
    }

    @Test(
        "A client continues with the key that another client of the store created after the old one was lost",
        arguments: [SessionPolicy.AccessTokenBinding.bearer, .dpop])
    func replacedKey(_ binding: SessionPolicy.AccessTokenBinding) async throws {
        let world = try await ServiceWorld { $0.sessions.accessTokenBinding = binding }
        let store = PreludeInMemoryCredentialStore()
        let client = try await world.signedIn(store: store)
        await store.delete("localhost:8080.key")
        let other = try await world.signedIn(store: store)
        world.clock.advance(seconds: 301)
        let user = try await client.refresh()
        #expect(user.profile.sessionID == (await other.profile)?.sessionID)
        #expect(try await client.listSessions().sessions.count == 2)
    }

    @Test("A login uses the key that another client of the store created, and both continue with it")
    func loginWithReplacedKey() async throws {
        let world = try await ServiceWorld()
        let store = PreludeInMemoryCredentialStore()
        _ = try await world.signedIn(store: store)
        let client = try await world.signedIn("grace@example.com", store: store)
        await store.delete("localhost:8080.key")
        let other = try await world.signedIn(store: store)
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "grace@example.com")))
        let session = try await client.checkOTP(try world.code(for: "grace@example.com")).profile.sessionID
        world.clock.advance(seconds: 301)
        #expect(try await other.refresh().profile.sessionID == session)
        #expect(try await client.refresh().profile.sessionID == session)
    }

    // Proves: E3
    @Test("Two clients on one store send one refresh")
    func twoClients() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let store = PreludeInMemoryCredentialStore()
        let one = try await world.signedIn(store: store, faults: faults)
        let other = try world.client(store: store, faults: faults)
        world.clock.advance(seconds: 280)
        async let first = one.refresh()
        async let second = other.refresh()
        let tokens = try await [first.accessToken, second.accessToken]
        #expect(tokens[0] == tokens[1])
        #expect(world.count(.refresh) == 1)
    }

    // Proves: E4
    @Test(
        "A lost response is requested again, at once or when the app returns later",
        arguments: [1, 2, 3])
    func lostAnswers(losses: Int) async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try await world.signedIn(faults: faults)
        world.clock.advance(seconds: 280)
        for _ in 0..<losses { faults.inject(.dropAnswer, on: .refresh) }
        if losses > 1 {
            let error = await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
            #expect(error.map(isNetwork) == true)
            world.clock.advance(seconds: 86_400)
        }
        let user = try await client.refresh()
        #expect(user.profile.userID?.hasPrefix("usr_") == true)
        world.clock.advance(seconds: 280)
        _ = try await client.refresh()
    }

    // Proves: E2
    @Test("A client without a network stays signed in")
    func offline() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try await world.signedIn(faults: faults)
        world.clock.advance(seconds: 600)
        faults.isOffline = true
        let error = await #expect(throws: PreludeSessionError.self) { try await client.listSessions() }
        #expect(error.map(isNetwork) == true)
        #expect(await client.profile != nil)
        faults.isOffline = false
        #expect(try await client.listSessions().total == 1)
    }

    @Test("A session survives a relaunch with the same store")
    func relaunch() async throws {
        let world = try await ServiceWorld()
        let store = PreludeInMemoryCredentialStore()
        let before = try await world.signedIn(store: store)
        world.clock.advance(seconds: 3600)
        let after = try world.client(store: store)
        let user = try await after.refresh()
        #expect(user.profile.sessionID == (await before.sessionID))
    }

    @Test("Refreshes work with a clock that is wrong by minutes or years", arguments: [-900.0, 900, -3.2e8, 3.2e8])
    func wrongClock(error: Double) async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn(clockSkew: error)
        world.clock.advance(seconds: 280)
        _ = try await client.refresh()
        world.clock.advance(seconds: 280)
        _ = try await client.refresh()
        #expect(try await client.listSessions().total == 1)
    }

    @Test("Every call works when the app always requires a nonce")
    func noncesAlways() async throws {
        let world = try await ServiceWorld { $0.sessions.noncePolicy = .always }
        let client = try await world.signedIn()
        for _ in 1...3 {
            world.clock.advance(seconds: 280)
            _ = try await client.refresh()
        }
        #expect(try await client.listSessions().total == 1)
    }

    // Proves: E6
    @Test("A session that was revoked elsewhere is deleted at the next refresh")
    func revokedElsewhere() async throws {
        let world = try await ServiceWorld()
        let phone = try await world.signedIn()
        let laptop = try await world.signedIn()
        try await laptop.revokeSessions(.others)
        world.clock.advance(seconds: 280)
        let error = await #expect(throws: PreludeSessionError.self) { try await phone.refresh() }
        #expect(error.map(isUnauthorized) == true)
        #expect(await phone.profile == nil)
        #expect(try await laptop.listSessions().total == 1)
    }

    // Proves: R8
    @Test(
        "Suspending a user ends the user's sessions, and the next call says why",
        arguments: [User.Status.suspended, .inactive])
    func disabledUser(status: User.Status) async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        let userID = try #require(await client.profile?.userID)
        _ = try await world.service.users.setStatus(status, user: userID, app: world.appID)
        var events = await client.events.makeAsyncIterator()
        let error = await #expect(throws: PreludeSessionError.self) { try await client.listSessions() }
        #expect(error?.isAccountSuspended == true)
        guard case .forbidden = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(await events.next() == .signedOut(.suspended))
        #expect(await client.profile == nil)
        _ = try await world.service.users.setStatus(.active, user: userID, app: world.appID)
        let ended = await #expect(throws: PreludeSessionError.self) { try await client.listSessions() }
        #expect(ended.map(isUnauthorized) == true)
        #expect(await client.profile == nil)
        #expect(try await world.signIn(client).profile.userID == userID)
    }

    // Proves: O32
    @Test(
        "A suspended user learns it by the right code, and a wrong code gets the usual answer",
        arguments: [User.Status.suspended, .inactive])
    func codeOfDisabledUser(status: User.Status) async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        let userID = try #require(await client.profile?.userID)
        _ = try await world.service.users.setStatus(status, user: userID, app: world.appID)
        let faults = TestService.Faults()
        let other = try world.client(faults: faults)
        try await other.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        let wrong = await #expect(throws: PreludeSessionError.self) { try await other.checkOTP("1234567") }
        #expect(wrong?.code == .badCheckCode && wrong?.isAccountSuspended == false)
        faults.inject(.dropAnswer, on: .checkOTP)
        let right = await #expect(throws: PreludeSessionError.self) {
            try await other.checkOTP(try world.code(for: "ada@example.com"))
        }
        #expect(right?.code == (status == .suspended ? .suspendedAccount : .inactiveUser))
        #expect(await other.profile == nil)
    }
}

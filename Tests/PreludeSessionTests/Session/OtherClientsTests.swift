import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("Clients that share a store")
struct OtherClientsTests {
    @Test("A client without a session finds the login of another client")
    func signedInElsewhere() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        #expect(await client.profile == nil)
        try await fixture.signIn()
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(await client.profile?.sessionID == "ses_1")
    }

    @Test("A rejected refresh is no sign-out when another client has signed in since")
    func replacedElsewhere() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer(
            "/refresh", .after({ try await fixture.signIn(session: "ses_2") }, .errorResponse(401, "unauthorized")))
        #expect(try await client.refresh().profile.sessionID == "ses_2")
        #expect(try await fixture.stored()?.sessionID == "ses_2")
    }

    @Test("A rejected refresh takes over the refresh of another client, as a refresh and not as a login")
    func refreshedElsewhere() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        var events = await client.events.makeAsyncIterator()
        await fixture.transport.answer(
            "/refresh",
            .after(
                {
                    fixture.clock.advance(1)
                    try await fixture.signIn(refreshToken: "refresh-9")
                }, .errorResponse(401, "unauthorized")))
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        guard case .refreshed? = await events.next() else { return #expect(Bool(false), "a login") }
    }

    // Proves: E6
    @Test("A session that another client replaces and then ends during a rejected refresh emits its sign-out")
    func replacedAndEnded() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        var events = await client.events.makeAsyncIterator()
        let (other, hold) = (try fixture.client(), Gate())
        await fixture.transport.answer(
            "/refresh",
            .after(
                {
                    try await fixture.signIn(session: "ses_2", refreshToken: "refresh-1")
                    let read = await fixture.store.hold(.read, ".session")
                    Task {
                        // The client has read that its session was replaced.
                        await read.arrived.wait()
                        try await fixture.store.write(
                            try SignOutRecord(reason: "ended").encoded(), to: ClientFixture.name + ".sign-out")
                        try await fixture.store.delete(ClientFixture.name + ".session")
                        await read.released.open()
                        await hold.open()
                    }
                }, .errorResponse(401, "unauthorized")))
        #expect(try await failure { _ = try await client.refresh() } == "unauthorized")
        await hold.wait()
        #expect(await events.next() == .signedOut(.ended))
        #expect(await client.reload() == .signedOut(.ended))
        #expect(await other.profile == nil)
    }

    @Test("The reason of a later sign-out of another client replaces the known one, and an own one stays")
    func laterReason() async throws {
        let fixture = try await ClientFixture()
        let (client, other) = (try fixture.client(), try fixture.client())
        await fixture.transport.answer("/refresh", .errorResponse(401, "unauthorized"))
        await fixture.transport.answer("/revoke", .success(), .success())
        try await client.invalidateSession()
        _ = try await failure { _ = try await client.refresh() }
        #expect(await client.reload() == .signedOut(.ended))
        try await fixture.signIn(session: "ses_2", refreshToken: "refresh-1")
        try await other.logoutAndRevoke()
        for _ in 0..<2 { #expect(await client.reload() == .signedOut(.anotherClient)) }
        for _ in 0..<2 { #expect(await other.reload() == .signedOut(.logout)) }
    }

    @Test("A logout ends the stored session of another client")
    func logoutOfWhatIsStored() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        try await fixture.signIn(session: "ses_2", refreshToken: "refresh-1")
        await fixture.transport.answer("/revoke", .success(), .success())
        try await client.logoutAndRevoke()
        #expect(try await fixture.stored() == nil)
        #expect(await fixture.transport.count("/revoke") == 2)
    }

    // Proves: E3
    @Test("Two concurrent first logins create one device key")
    func oneKey() async throws {
        let store = PreludeInMemoryCredentialStore()
        let keys = CountingKeyStore(inner: PreludeSoftwareDeviceKeyStore(store: store))
        let device = DeviceIdentity(
            records: RecordStore(store: store, endpoint: "n"), keys: keys, environment: .live)
        let other = DeviceIdentity(
            records: RecordStore(store: store, endpoint: "n"), keys: keys, environment: .live)
        async let first: Void = device.prepareKey()
        async let second: Void = device.prepareKey()
        async let third: Void = other.prepareKey()
        _ = try await (first, second, third)
        #expect(await keys.made == 1)
    }

    private actor CountingKeyStore: PreludeDeviceKeyStore {
        private let inner: PreludeSoftwareDeviceKeyStore
        private(set) var made = 0

        init(inner: PreludeSoftwareDeviceKeyStore) { self.inner = inner }

        func key(_ name: String) async throws -> (any PreludeDeviceKey)? { try await inner.key(name) }

        func makeKey(_ name: String) async throws -> any PreludeDeviceKey {
            made += 1
            return try await inner.makeKey(name)
        }
    }
}

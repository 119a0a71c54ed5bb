import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("A session with its key in an enclave")
struct LostEnclaveKeyTests {
    private let enclave = FakeEnclave()

    /// A fixture with a session that is bound to a key in the enclave.
    private func fixture() async throws -> (ClientFixture, PreludeSessionClient) {
        let fixture = try await ClientFixture()
        try await fixture.store.delete(ClientFixture.name + ".key")
        let keys = EnclaveKeys(enclave: enclave, store: fixture.store)
        _ = try await keys.makeKey(ClientFixture.name)
        let clock = fixture.clock
        let randomness = fixture.randomness
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = fixture.store
        configuration.deviceKeyStore = keys
        configuration.transport = fixture.transport
        configuration.environment = SDKEnvironment(now: { clock.now }, randomBytes: { randomness.bytes($0) })
        let client = try PreludeSessionClient(configuration: configuration)
        return (fixture, client)
    }

    private func signIn(_ client: PreludeSessionClient, on fixture: ClientFixture, answering number: Int) async throws {
        await fixture.transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t0")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(number))
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: "a@example.com", password: "x"))
    }

    @Test("A damaged key record ends the session, and the next login creates a new key")
    func strangeRecord() async throws {
        let (fixture, client) = try await fixture()
        try await fixture.store.write(
            Data("?".utf8), to: RecordName.enclaveKey.storageName(endpoint: ClientFixture.name))
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "deviceKeyLost")
        try await signIn(client, on: fixture, answering: 1)
        #expect(try await fixture.stored() != nil)
    }

    @Test("A key that is lost while the app runs ends the session, and the same client signs in with a new key")
    func lostWhileRunning() async throws {
        let (fixture, client) = try await fixture()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await client.invalidateSession()
        try await client.refresh()
        enclave.forget()
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "deviceKeyLost")
        #expect(try await fixture.stored() == nil)

        try await signIn(client, on: fixture, answering: 2)
        await fixture.transport.answer("/refresh", fixture.refreshed(3))
        try await client.invalidateSession()
        try await client.refresh()
        #expect(try await fixture.stored()?.refreshToken == "refresh-3")
    }

    @Test("A login after a key was lost between launches creates a new key")
    func lostBetweenLaunches() async throws {
        let (fixture, client) = try await fixture()
        enclave.forget()
        try await signIn(client, on: fixture, answering: 1)
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }

    @Test("An enclave that is unavailable for a moment keeps the session")
    func locked() async throws {
        let (fixture, client) = try await fixture()
        enclave.lock(true)
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "storageUnavailable")
        #expect(try await fixture.stored() != nil)
        enclave.lock(false)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        try await client.refresh()
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }

    @Test("Concurrent logins share one key")
    func oneKey() async throws {
        let store = PreludeInMemoryCredentialStore()
        let environment = SDKEnvironment(now: { TestClock().now }, randomBytes: { TestRandomness().bytes($0) })
        let device = DeviceIdentity(
            records: RecordStore(store: store, endpoint: "a"),
            keys: SlowKeys(keys: EnclaveKeys(enclave: enclave, store: store)),
            environment: environment)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await device.prepareKey() } }
            try await group.waitForAll()
        }
        #expect(enclave.count == 1)
    }
}

/// Lets other tasks run between the search for a key and its result.
private struct SlowKeys: PreludeDeviceKeyStore {
    let keys: EnclaveKeys

    func key(_ name: String) async throws -> (any PreludeDeviceKey)? {
        let found = try await keys.key(name)
        for _ in 0..<100 { await Task.yield() }
        return found
    }

    func makeKey(_ name: String) async throws -> any PreludeDeviceKey { try await keys.makeKey(name) }
}

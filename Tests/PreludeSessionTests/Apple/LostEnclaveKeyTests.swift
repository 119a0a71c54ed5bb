import Foundation
import Testing

@testable import PreludeSession

@Suite("A session with its key in an enclave")
struct LostEnclaveKeyTests {
    private let enclave = FakeEnclave()

    /// A device whose session is bound to a key of the enclave.
    private func stage() async throws -> (Stage, PreludeSessionClient) {
        let stage = try await Stage()
        try await stage.store.delete(Stage.name + ".key")
        let keys = EnclaveKeys(enclave: enclave, store: stage.store)
        _ = try await keys.makeKey(Stage.name)
        let clock = stage.clock
        let randomness = stage.randomness
        let client = try PreludeSessionClient(
            credentialStore: stage.store, deviceKeyStore: keys, transport: stage.transport,
            environment: SDKEnvironment(now: { clock.now }, randomBytes: { randomness.bytes($0) }))
        return (stage, client)
    }

    private func signIn(_ client: PreludeSessionClient, on stage: Stage, answering number: Int) async throws {
        await stage.transport.answer("/login/email/password", Stage.next(TestToken.challenge("t0")))
        await stage.transport.answer("/login/finalize", stage.refreshed(number))
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: "a@example.com", password: "x"))
    }

    @Test("a record of the key that nobody understands ends the session, and the next login makes a new key")
    func strangeRecord() async throws {
        let (stage, client) = try await stage()
        try await stage.store.write(Data("?".utf8), to: EnclaveKeys.record(Stage.name))
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "deviceKeyLost")
        try await signIn(client, on: stage, answering: 1)
        #expect(try await stage.stored() != nil)
    }

    @Test("a key that is lost while the app runs ends the session, and the same client signs in with a new one")
    func lostWhileRunning() async throws {
        let (stage, client) = try await stage()
        await stage.transport.answer("/refresh", stage.refreshed(1))
        try await client.invalidateSession()
        try await client.refresh()
        enclave.forget()
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "deviceKeyLost")
        #expect(try await stage.stored() == nil)

        try await signIn(client, on: stage, answering: 2)
        await stage.transport.answer("/refresh", stage.refreshed(3))
        try await client.invalidateSession()
        try await client.refresh()
        #expect(try await stage.stored()?.refreshToken == "refresh-3")
    }

    @Test("a login after a key was lost between launches makes a new one")
    func lostBetweenLaunches() async throws {
        let (stage, client) = try await stage()
        enclave.forget()
        try await signIn(client, on: stage, answering: 1)
        #expect(try await stage.stored()?.refreshToken == "refresh-1")
    }

    @Test("an enclave that refuses for the moment ends nothing")
    func locked() async throws {
        let (stage, client) = try await stage()
        enclave.lock(true)
        try await client.invalidateSession()
        #expect(try await failure { try await client.refresh() } == "storageUnavailable")
        #expect(try await stage.stored() != nil)
        enclave.lock(false)
        await stage.transport.answer("/refresh", stage.refreshed(1))
        try await client.refresh()
        #expect(try await stage.stored()?.refreshToken == "refresh-1")
    }

    @Test("logins at the same time share one key")
    func oneKey() async throws {
        let store = InMemoryCredentialStore()
        let environment = SDKEnvironment(now: { TestClock().now }, randomBytes: { TestRandomness().bytes($0) })
        let device = DeviceIdentity(
            name: "a", store: store, keys: SlowKeys(keys: EnclaveKeys(enclave: enclave, store: store)),
            environment: environment)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await device.prepareKey() } }
            try await group.waitForAll()
        }
        #expect(enclave.count == 1)
    }
}

/// Lets everybody else run between looking for a key and saying what was found.
private struct SlowKeys: DeviceKeyStore {
    let keys: EnclaveKeys

    func key(_ name: String) async throws -> (any DeviceKey)? {
        let found = try await keys.key(name)
        for _ in 0..<100 { await Task.yield() }
        return found
    }

    func makeKey(_ name: String) async throws -> any DeviceKey { try await keys.makeKey(name) }
}

import PreludeSession
import PreludeSessionTesting
import Testing

@Suite("Failures of the credential store", .eachStore)
struct StorageStory {
    private func isStorage(_ error: PreludeSessionError?) -> Bool {
        if case .storageUnavailable = error { true } else { false }
    }

    // Proves: E1
    @Test("A store that cannot be read at launch does not sign out, and the session returns")
    func lockedAtLaunch() async throws {
        let world = try await ServiceWorld()
        let store = FaultyCredentialStore()
        let before = try await world.signedIn(store: store)
        let id = await before.sessionID
        store.refuses = .reads
        let launched = try world.client(store: store)
        #expect(isStorage(await #expect(throws: PreludeSessionError.self) { try await launched.refresh() }))
        #expect(await launched.profile == nil)
        store.refuses = .nothing
        #expect(await launched.sessionID == id)
    }

    // Proves: E4
    @Test("A rotated token that could not be stored is requested again")
    func writeFailsAfterRotation() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let store = FaultyCredentialStore()
        let client = try await world.signedIn(store: store, faults: faults)
        world.clock.advance(seconds: 280)
        faults.interrupt(.refresh) { store.refuses = .writes }
        #expect(isStorage(await #expect(throws: PreludeSessionError.self) { try await client.refresh() }))
        store.refuses = .nothing
        let relaunched = try world.client(store: store, faults: faults)
        _ = try await relaunched.refresh()
        world.clock.advance(seconds: 280)
        _ = try await relaunched.refresh()
        #expect(try await relaunched.listSessions().total == 1)
    }

    // Proves: E9
    @Test("A lost device key is reported, and signing in again works")
    func lostKey() async throws {
        let world = try await ServiceWorld()
        let store = PreludeInMemoryCredentialStore()
        _ = try await world.signedIn(store: store)
        await store.delete("localhost:8080.key")
        world.clock.advance(seconds: 280)
        let relaunched = try world.client(store: store)
        let error = await #expect(throws: PreludeSessionError.self) { try await relaunched.refresh() }
        guard case .deviceKeyLost = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(await relaunched.profile == nil)
        _ = try await world.signedIn(store: store)
    }
}

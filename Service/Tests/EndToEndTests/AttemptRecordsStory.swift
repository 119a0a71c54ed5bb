import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

@Suite("The records of attempts", .eachStore)
struct AttemptRecordsStory {
    /// A store that lists its records, and may keep records of attempts that it should delete.
    private actor ListedStore: PreludeCredentialStore {
        private let inner = PreludeInMemoryCredentialStore()
        private var names: Set<String> = []
        private var keepsAttempts = false

        /// The names of stored attempts.
        var attempts: Set<String> { names.filter(isAttempt) }

        func keepAttempts(_ keeps: Bool) { keepsAttempts = keeps }

        private func isAttempt(_ name: String) -> Bool { name.contains(".attempt.") }

        func read(_ name: String) async throws -> Data? { await inner.read(name) }

        func write(_ data: Data, to name: String) async throws {
            names.insert(name)
            await inner.write(data, to: name)
        }

        func delete(_ name: String) async throws {
            guard !keepsAttempts || !isAttempt(name) else {
                throw PreludeSessionError.storageUnavailable("kept by the test")
            }
            names.remove(name)
            await inner.delete(name)
        }

        nonisolated func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer {
            try await inner.withLock(name, work)
        }
    }

    // Proves: E4
    @Test("After 20 refreshes, some with lost answers and failing deletions, no record of an attempt is left")
    func refreshes() async throws {
        let (world, store, faults) = (try await ServiceWorld(), ListedStore(), TestService.Faults())
        var client = try await world.signedIn(store: store, faults: faults)
        for index in 0..<20 {
            // Deletions that fail twice are made up for by the next refresh, also in another process.
            let kept = [0, 1, 2, 0, 0][index % 5]
            await store.keepAttempts(kept > 0)
            if index % 3 == 0 { faults.inject(.dropAnswer, on: .refresh, times: index % 2 == 0 ? 1 : 2) }
            if index % 5 == 3 { client = try world.client(store: store, faults: faults) }
            world.clock.advance(seconds: 280)
            do { _ = try await client.refresh() } catch PreludeSessionError.network { _ = try await client.refresh() }
            #expect(await store.attempts.count == kept)
        }
    }

    @Test(
        "A logout, a login and a rejected refresh leave no record of an attempt", arguments: ["logout", "login", "end"])
    func ends(by end: String) async throws {
        let (world, store, faults) = (try await ServiceWorld(), ListedStore(), TestService.Faults())
        let client = try await world.signedIn(store: store, faults: faults)
        world.clock.advance(seconds: 280)
        await store.keepAttempts(true)
        _ = try await client.refresh()
        await store.keepAttempts(false)
        world.clock.advance(seconds: 280)
        faults.inject(.dropAnswer, on: .refresh, times: 2)
        await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        #expect(await store.attempts.count == 2)
        switch end {
        case "logout": try await client.logout()
        case "login": _ = try await world.signedIn(store: store)
        default:
            faults.inject(.answer(401, code: "unauthorized"), on: .refresh)
            await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        }
        #expect(await store.attempts.isEmpty)
    }
}

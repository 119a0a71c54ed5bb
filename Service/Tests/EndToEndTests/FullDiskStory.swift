import Foundation
import PreludeSession
import PreludeSessionTesting
import Synchronization
import Testing

@Suite("Storage failures during a refresh", .eachStore)
struct FullDiskStory {
    /// A store that works a number of times, and then fails with an error that the SDK does not know.
    private final class FailingStore: PreludeCredentialStore {
        enum Operation: Sendable, CaseIterable { case everything, writes }

        private let inner = PreludeInMemoryCredentialStore()
        private let state = Mutex<(what: Operation, left: Int)?>(nil)

        /// Fails from the n-th use on.
        func fail(_ what: Operation, after uses: Int) { state.withLock { $0 = (what, uses) } }
        func repair() { state.withLock { $0 = nil } }

        private func use(isWrite: Bool) throws {
            let isRefused = state.withLock { state -> Bool in
                guard let now = state, isWrite || now.what == .everything else { return false }
                state?.left -= 1
                return now.left <= 0
            }
            if isRefused { throw NSError(domain: NSPOSIXErrorDomain, code: 28) }
        }

        func read(_ name: String) async throws -> Data? {
            try use(isWrite: false)
            return await inner.read(name)
        }

        func write(_ data: Data, to name: String) async throws {
            try use(isWrite: true)
            await inner.write(data, to: name)
        }

        func delete(_ name: String) async throws {
            try use(isWrite: true)
            await inner.delete(name)
        }

        func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer {
            try await inner.withLock(name, work)
        }
    }

    // Proves: E4
    @Test(
        "A failure between sending and storing loses nothing, and the next launch gets the token again",
        arguments: FailingStore.Operation.allCases)
    private func everyPoint(what: FailingStore.Operation) async throws {
        var failures = 0
        for uses in 0..<6 {
            let world = try await ServiceWorld()
            let (store, faults) = (FailingStore(), TestService.Faults())
            let client = try await world.signedIn(store: store, faults: faults)
            let id = await client.sessionID
            world.clock.advance(seconds: 280)
            faults.interrupt(.refresh) { store.fail(what, after: uses) }
            do {
                try await client.refresh()
            } catch PreludeSessionError.storageUnavailable {
                failures += 1
                #expect(await client.sessionID == id)
            }
            store.repair()
            for survivor in [client, try world.client(store: store, faults: faults)] {
                #expect(try await survivor.refresh().profile.sessionID == id)
                world.clock.advance(seconds: 280)
            }
            #expect(try await client.listSessions().total == 1)
        }
        #expect(failures > 0)
    }
}

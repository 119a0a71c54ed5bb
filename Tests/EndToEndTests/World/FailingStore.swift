import Foundation
import PreludeSession
import Synchronization

/// A store that refuses what a test tells it to, as a locked device or a full disk does.
final class FailingStore: CredentialStore {
    enum Refusal: Sendable { case nothing, reads, writes }

    private let inner = InMemoryCredentialStore()
    private let refusal = Mutex(Refusal.nothing)

    func refuse(_ what: Refusal) { refusal.withLock { $0 = what } }

    private func check(_ what: Refusal) throws {
        if refusal.withLock({ $0 }) == what { throw PreludeSessionError.storageUnavailable("refused by the test") }
    }

    func read(_ name: String) async throws -> Data? {
        try check(.reads)
        return await inner.read(name)
    }

    func write(_ data: Data, to name: String) async throws {
        try check(.writes)
        await inner.write(data, to: name)
    }

    func delete(_ name: String) async throws {
        try check(.writes)
        await inner.delete(name)
    }

    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await inner.withLock(name, work)
    }
}

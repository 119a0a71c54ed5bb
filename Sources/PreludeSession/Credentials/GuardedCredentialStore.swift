internal import Foundation

/// Logs all failures of a credential store and converts them into errors of the SDK.
struct GuardedCredentialStore: PreludeCredentialStore {
    let store: any PreludeCredentialStore
    let log: SessionLog
    /// Seconds that a response may take. Waiting for a lock takes a multiple of it.
    let timeout: TimeInterval

    func read(_ name: String) async throws -> Data? { try await guarded("read", name) { try await store.read(name) } }

    func write(_ data: Data, to name: String) async throws {
        try await guarded("write", name) { try await store.write(data, to: name) }
    }

    func create(_ data: Data, at name: String) async throws -> Bool {
        try await guarded("create", name) { try await store.create(data, at: name) }
    }

    func delete(_ name: String) async throws { try await guarded("delete", name) { try await store.delete(name) } }

    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await FileLock.$clientTimeout.withValue(timeout) {
                try await store.withLock(name) {
                    do { return try await work() } catch { throw FailedWork(cause: error) }
                }
            }
        } catch let failure as FailedWork {
            // Already logged where it failed.
            throw failure.cause
        } catch {
            throw logged("lock", name, error)
        }
    }

    /// An error of the work under a lock, as opposed to an error of the lock. Never leaves this store.
    private struct FailedWork: Error {
        let cause: any Error
    }

    private func guarded<Answer>(
        _ operation: StaticString, _ name: String, _ work: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await work()
        } catch {
            throw logged(operation, name, error)
        }
    }

    private func logged(_ operation: StaticString, _ name: String, _ error: any Error) -> any Error {
        // The last part of the name is the kind of record, or the part before it for an attempt.
        let parts = name.split(separator: ".").suffix(2).map(String.init)
        let attempt = RecordName.attempt.rawValue
        let record = parts.first == attempt ? attempt : parts.last
        log(
            .warning, "the credential store failed",
            [.word("operation", operation), .term("record", record), .error(error)])
        return PreludeSessionError.storageError(error, of: "the credential store")
    }
}

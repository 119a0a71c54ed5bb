internal import Foundation

/// A store whose refusals are told to a log, those included that the SDK gets over, and are errors of the SDK whatever the
/// store throws.
struct GuardedCredentialStore: CredentialStore {
    let store: any CredentialStore
    let log: SessionLog
    /// Seconds that an answer may take, which is what others wait for who want the same lock.
    let timeout: TimeInterval

    func read(_ name: String) async throws -> Data? { try await telling("read", name) { try await store.read(name) } }

    func write(_ data: Data, to name: String) async throws {
        try await telling("write", name) { try await store.write(data, to: name) }
    }

    func delete(_ name: String) async throws { try await telling("delete", name) { try await store.delete(name) } }

    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await FileLock.$clientTimeout.withValue(timeout) {
                try await store.withLock(name) {
                    do { return try await work() } catch { throw Unlocked(cause: error) }
                }
            }
        } catch let failure as Unlocked {
            // Told where it failed.
            throw failure.cause
        } catch {
            throw refusal("lock", name, error)
        }
    }

    /// What failed under a lock, to tell it from what is wrong with the lock. Never leaves this store.
    private struct Unlocked: Error {
        let cause: any Error
    }

    private func telling<Answer>(
        _ operation: StaticString, _ name: String, _ work: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await work()
        } catch {
            throw refusal(operation, name, error)
        }
    }

    private func refusal(_ operation: StaticString, _ name: String, _ error: any Error) -> any Error {
        // The end of the name says what kind of record it is.
        let record = name.split(separator: ".").last.map(String.init)
        log(
            .warning, "the storage refuses", [.word("operation", operation), .term("record", record), .error(error)])
        return PreludeSessionError.ofStorage(error, "the credential store")
    }
}

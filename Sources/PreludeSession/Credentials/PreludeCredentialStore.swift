public import Foundation

/// Stores the credentials of a session.
///
/// "Unreadable" is not "absent": a store that cannot be read now must throw `PreludeSessionError.storageUnavailable`, or
/// `.deviceLocked(_:)` if it can be read after an unlock. The session is then kept, and the next call tries again. Any other
/// error, except for `CancellationError`, is reported as `.storageUnavailable` with its type name only, so log it in your
/// store.
///
/// Names are plain text with `.`, `:` and `_`. Records are opaque and at most a few kilobytes.
public protocol PreludeCredentialStore: Sendable {
    /// The record with this name; `nil` only when it is certain that there is none.
    func read(_ name: String) async throws -> Data?
    /// Stores a record atomically: after a crash the store has the old record or the new one.
    func write(_ data: Data, to name: String) async throws
    /// Stores a record if there is none with this name, as one atomic step for all processes.
    ///
    /// The default reads and writes under ``withLock(_:_:)``. Implement it if the storage has such an operation: it then also
    /// holds when the lock fails.
    ///
    /// - Returns: Whether the record is stored. `false` if there is one already, which stays as it is.
    func create(_ data: Data, at name: String) async throws -> Bool
    /// Deletes a record. A missing record is no error.
    func delete(_ name: String) async throws
    /// Runs the work while no other caller in any process holds the same lock of the same store.
    ///
    /// - Parameters:
    ///   - name: The name of the lock. It is not the name of a record.
    ///   - work: May wait for the network. The lock is released when it returns, and when the process ends.
    /// - Returns: The result of the work.
    /// - Throws: The errors of the work, and `PreludeSessionError.storageUnavailable` when the lock cannot be taken.
    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer
}

extension PreludeCredentialStore {
    /// Stores a record if there is none with this name, under a lock.
    public func create(_ data: Data, at name: String) async throws -> Bool {
        try await withLock(name + ".create") {
            guard try await read(name) == nil else { return false }
            try await write(data, to: name)
            return true
        }
    }
}

/// Tells the processes that share a credential store that the session has changed. It carries nothing: a process that hears it
/// reads the store.
protocol ChangeSignal: Sendable {
    /// Tells all processes, this one too.
    func post()
    /// Observes the signal until the returned object is released.
    ///
    /// - Parameter heard: Called for the posts of all processes. Several posts may be one call.
    func observe(_ heard: @escaping @Sendable () -> Void) -> AnyObject
}

/// A credential store that other processes may share.
protocol SharedCredentialStore: PreludeCredentialStore {
    /// The signal of these processes; `nil` if no other process shares the store, or the system has no signal.
    ///
    /// - Parameter endpoint: As in `RecordStore.endpoint`.
    func changeSignal(of endpoint: String) -> (any ChangeSignal)?
}

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

/// Keeps credentials in memory until the process ends.
public actor PreludeInMemoryCredentialStore: PreludeCredentialStore {
    private var records: [String: Data] = [:]
    private let lock = AsyncLock()

    /// Creates an empty store.
    public init() {}

    public func read(_ name: String) -> Data? { records[name] }
    public func write(_ data: Data, to name: String) { records[name] = data }
    public func create(_ data: Data, at name: String) -> Bool {
        guard records[name] == nil else { return false }
        records[name] = data
        return true
    }
    public func delete(_ name: String) { records[name] = nil }

    public nonisolated func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await lock.with(name, work)
    }
}

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

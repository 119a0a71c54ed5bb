public import Foundation

/// Where credentials are kept. Unreadable is not absent: a store that cannot tell must throw.
///
/// Every method throws `PreludeSessionError.storageUnavailable` for what cannot be done now; the session is kept, and the
/// next call tries again. Another error than that, but for `CancellationError`, is taken for it, and only its type is told;
/// so log it yourself. Names are plain texts with `.`, `:` and `_`; records are opaque and below a few kilobytes.
public protocol CredentialStore: Sendable {
    /// The record under a name; `nil` only when it is certain that there is none.
    func read(_ name: String) async throws -> Data?
    /// Stores a record, all or nothing: after a crash it is the old one or the new one.
    func write(_ data: Data, to name: String) async throws
    /// Removes a record; one that is not there is no error.
    func delete(_ name: String) async throws
    /// Runs the work while nobody else, in this process or another, holds the same lock of the same store.
    ///
    /// - Parameters:
    ///   - name: Names the lock, which is no record.
    ///   - work: Waits for the network at times. The lock ends with it, or with the process.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, and `PreludeSessionError.storageUnavailable` when there is no lock to be had.
    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer
}

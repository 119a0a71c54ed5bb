public import Foundation

/// Where credentials are kept. Unreadable is not absent: a store that cannot tell must throw.
public protocol CredentialStore: Sendable {
    /// The record under a name; `nil` only when it is certain that there is none.
    func read(_ name: String) async throws -> Data?
    /// Stores a record, all or nothing: after a crash it is the old one or the new one.
    func write(_ data: Data, to name: String) async throws
    /// Removes a record; one that is not there is no error.
    func delete(_ name: String) async throws
    /// Runs the work while nobody else, in this process or another, holds the same lock of the same store.
    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer
}

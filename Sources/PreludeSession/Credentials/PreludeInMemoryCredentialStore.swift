public import Foundation

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

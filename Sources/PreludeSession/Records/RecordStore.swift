internal import Foundation

/// The records and locks of one endpoint in a credential store.
struct RecordStore: Sendable {
    let store: any PreludeCredentialStore
    /// Begins the names of all records: host and port, then `_` and the overridden host if there is one.
    let endpoint: String

    /// The content of a record; `nil` only when the store has none.
    func read<Record: VersionedRecord>(_ type: Record.Type) async throws -> RecordContent<Record>? {
        try await store.read(Record.recordName.storageName(endpoint: endpoint)).map(RecordContent.init)
    }

    func write<Record: VersionedRecord>(_ record: Record) async throws {
        try await store.write(try record.encoded(), to: Record.recordName.storageName(endpoint: endpoint))
    }

    func delete<Record: VersionedRecord>(_ type: Record.Type) async throws {
        try await store.delete(Record.recordName.storageName(endpoint: endpoint))
    }

    /// Runs the work while no other client in any process holds the same lock.
    func withLock<Answer: Sendable>(
        _ lock: RecordLock, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await FileLock.$isReleasedAtExpiry.withValue(lock.isHeldAcrossNetwork) {
            try await store.withLock(lock.storageName(endpoint: endpoint), work)
        }
    }

    /// The stored session; `nil` only when the store has none.
    ///
    /// - Throws: `.storageUnavailable` for a record that this version of the SDK cannot read.
    func session() async throws -> StoredSession? {
        try await store.read(RecordName.session.storageName(endpoint: endpoint)).map(StoredSession.decode)
    }
}

internal import Foundation

/// Keeps records as keychain items: decides what each status means, and what to do when others write at the same time.
struct KeychainRecords: CredentialStore {
    let items: any KeychainItems
    let lock: FileLock

    func read(_ name: String) throws -> Data? {
        let (status, data) = items.copy(name)
        switch status {
        // A success without data would be a fault of the keychain, not a session that is over.
        case .success where data != nil: return data
        case .itemNotFound: return nil
        default: throw status.failure("read")
        }
    }

    /// Updates the item, else adds it, all over again when somebody else adds or deletes it in between.
    ///
    /// Never deletes first: an app that is killed in between would have lost its session.
    func write(_ data: Data, to name: String) throws {
        var status = KeychainStatus.itemNotFound
        // Each round that is lost is one in which somebody else has won, so a few are plenty.
        for _ in 0..<4 {
            status = items.update(name, data)
            if status == .itemNotFound { status = items.add(name, data) }
            guard status == .duplicateItem else { break }
        }
        guard status == .success else { throw status.failure("write") }
    }

    func delete(_ name: String) throws {
        let status = items.delete(name)
        guard status == .success || status == .itemNotFound else { throw status.failure("delete") }
    }

    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await lock.with(name, work)
    }
}

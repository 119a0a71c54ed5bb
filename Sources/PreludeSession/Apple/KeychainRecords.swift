internal import Foundation

/// Keeps records as Keychain items. It decides what each status means, and retries concurrent writes.
///
/// A missing item is a missing record only when the Keychain shows its items (`KeychainMarker`).
struct KeychainRecords: PreludeCredentialStore {
    let items: any KeychainItems
    let lock: FileLock

    private var marker: KeychainMarker { KeychainMarker(items: items) }

    func read(_ name: String) throws -> Data? {
        if let data = try item(name) { return data }
        try marker.check("read")
        // Again: the device may have been unlocked after the first look-up.
        return try item(name)
    }

    private func item(_ name: String) throws -> Data? {
        let (status, data) = items.copy(name)
        switch status {
        // A success without data is an error of the Keychain and does not mean that there is no record.
        case .success where data != nil: return data
        case .itemNotFound: return nil
        default: throw status.failure("read")
        }
    }

    /// Updates or adds the item. It starts again if another process adds or deletes the item in between.
    ///
    /// It never deletes first: a process that is killed in between would lose its session.
    func write(_ data: Data, to name: String) throws {
        var status = KeychainStatus.itemNotFound
        // Each failed round means that another process succeeded, so a few rounds suffice.
        for _ in 0..<4 {
            status = items.update(name, data)
            if status == .itemNotFound { status = items.add(name, data) }
            guard status == .duplicateItem else { break }
        }
        guard status == .success else { throw status.failure("write") }
    }

    func create(_ data: Data, at name: String) throws -> Bool {
        let status = items.add(name, data)
        if status == .duplicateItem { return false }
        guard status == .success else { throw status.failure("create") }
        return true
    }

    func delete(_ name: String) throws {
        var status = items.delete(name)
        if status == .itemNotFound {
            // A hidden item returns after the unlock, and a signed-out user would be signed in again.
            try marker.check("delete")
            status = items.delete(name)
        }
        guard status == .success || status == .itemNotFound else { throw status.failure("delete") }
    }

    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await lock.with(name, work)
    }
}

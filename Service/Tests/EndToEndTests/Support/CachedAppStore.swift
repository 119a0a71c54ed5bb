import SessionDomain
import Synchronization

/// An app store that repeats a read only after a write.
///
/// Simulated nodes reload their apps every few simulated seconds. Without a cache these reads take half of the time of a
/// simulation. Every write of a simulation goes through this store, so the nodes see the same rows as without it.
final class CachedAppStore: AppStore {
    private struct Reads {
        var version = 0
        var apps: [App]?
        var keys: [AppID: [StoredSigningKey]] = [:]
    }

    private let store: any AppStore
    private let reads = Mutex(Reads())

    init(_ store: any AppStore) { self.store = store }

    func apps() async throws -> [App] {
        let (cached, version) = reads.withLock { ($0.apps, $0.version) }
        if let cached { return cached }
        let apps = try await store.apps()
        reads.withLock { if $0.version == version { $0.apps = apps } }
        return apps
    }

    func signingKeys(of id: AppID) async throws -> [StoredSigningKey] {
        let (cached, version) = reads.withLock { ($0.keys[id], $0.version) }
        if let cached { return cached }
        let keys = try await store.signingKeys(of: id)
        reads.withLock { if $0.version == version { $0.keys[id] = keys } }
        return keys
    }

    func app(_ id: AppID) async throws -> App? { try await store.app(id) }

    func sealingKeyIDs() async throws -> Set<String> { try await store.sealingKeyIDs() }

    /// Writes, and removes what was read before it.
    func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        defer { reads.withLock { $0 = Reads(version: $0.version + 1) } }
        return try await store.perform(intent)
    }
}

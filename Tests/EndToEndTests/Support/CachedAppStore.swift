import Foundation
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

    /// Runs a write, and removes what was read before it.
    private func write<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        defer { reads.withLock { $0 = Reads(version: $0.version + 1) } }
        return try await work()
    }

    func app(_ id: AppID) async throws -> App? { try await store.app(id) }

    func createApp(_ app: App, keys: [StoredSigningKey]) async throws -> Bool {
        try await write { try await store.createApp(app, keys: keys) }
    }

    func updateApp<Answer: Sendable>(
        _ id: AppID, _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer? {
        try await write { try await store.updateApp(id, change) }
    }

    func rotateSigningKeys(_ rotation: KeyRotation) async throws -> KeyRotationDecision? {
        try await write { try await store.rotateSigningKeys(rotation) }
    }

    func resealSigningKey(_ key: StoredSigningKey, replacing sealed: Data) async throws -> Bool {
        try await write { try await store.resealSigningKey(key, replacing: sealed) }
    }

    func sealingKeyIDs() async throws -> Set<String> { try await store.sealingKeyIDs() }
}

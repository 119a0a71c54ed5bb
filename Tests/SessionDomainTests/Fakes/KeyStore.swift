import Foundation
import SessionDomain
import Synchronization

/// A store of signing keys. It serves the apps that it is made with, and cannot do anything else.
final class KeyStore: AppStore {
    private let keys: Mutex<[StoredSigningKey]>
    private let served: [App]
    /// Apps whose keys cannot be read.
    private let broken: Set<AppID>
    /// A purpose whose keys cannot be rotated.
    private let stuck: StoredSigningKey.Purpose?

    init(
        apps: [App] = [], keys: [StoredSigningKey] = [], broken: Set<AppID> = [],
        stuck: StoredSigningKey.Purpose? = nil
    ) {
        served = apps
        self.keys = Mutex(keys)
        self.broken = broken
        self.stuck = stuck
    }

    func signingKeys(of id: AppID) async throws -> [StoredSigningKey] {
        guard !broken.contains(id) else { throw StoreError.unavailable("broken") }
        return keys.withLock { $0.filter { $0.appID == id } }
    }

    func rotateSigningKeys(_ rotation: KeyRotation) async throws -> KeyRotationDecision? {
        guard rotation.purpose != stuck else { throw StoreError.unavailable("stuck") }
        let app =
            served.first { $0.id == rotation.appID } ?? App(id: rotation.appID, name: "a", createdAt: rotation.now)
        return keys.withLock { keys in
            let mine = keys.filter { $0.appID == rotation.appID && $0.purpose == rotation.purpose }
            let decision = rotation.decide(mine, app: app)
            let changed = decision.changed + decision.removed
            keys.removeAll { key in changed.contains { $0.keyID == key.keyID } }
            keys += decision.changed + (decision.added.map { [$0] } ?? [])
            return decision
        }
    }

    func resealSigningKey(_ key: StoredSigningKey, replacing sealed: Data) async throws -> Bool {
        keys.withLock { keys in
            guard let index = keys.firstIndex(where: { $0.keyID == key.keyID && $0.sealedPrivateKey == sealed }) else {
                return false
            }
            keys[index] = key
            return true
        }
    }

    func sealingKeyIDs() async throws -> Set<String> { throw StoreError.overloaded }

    func apps() async throws -> [App] { served }

    func app(_ id: AppID) async throws -> App? { throw StoreError.overloaded }

    func createApp(_ app: App, keys: [StoredSigningKey]) async throws -> Bool { throw StoreError.overloaded }

    func updateApp<Answer: Sendable>(
        _ id: AppID, _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer? { throw StoreError.overloaded }
}

import Foundation
import SessionDomain
import Synchronization

/// A store of signing keys. It serves the apps that it is made with, and cannot do anything else.
final class KeyStore: AppStore {
    private let keys: Mutex<[StoredSigningKey]>
    private let served: Mutex<(apps: [App], reads: Int, isAway: Bool)>
    /// Apps whose keys cannot be read.
    private let broken: Set<AppID>
    /// A purpose whose keys cannot be rotated.
    private let stuck: StoredSigningKey.Purpose?

    init(
        apps: [App] = [], keys: [StoredSigningKey] = [], broken: Set<AppID> = [],
        stuck: StoredSigningKey.Purpose? = nil
    ) {
        served = Mutex((apps, 0, false))
        self.keys = Mutex(keys)
        self.broken = broken
        self.stuck = stuck
    }

    func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        let query = intent.reads.query
        if let purpose = query.signingKeys, purpose == stuck { throw StoreError.unavailable("stuck") }
        return try keys.withLock { keys in
            let decision = try intent.decide(
                FoundRows { facts in
                    facts.settings =
                        served.withLock(\.apps).first { $0.id == query.app }
                        ?? query.app.map { App(id: $0, name: "a", createdAt: Timestamp(seconds: 0)) }
                    facts.signingKeys = keys.filter { $0.appID == query.app && $0.purpose == query.signingKeys }
                })
            for change in decision.changes {
                switch change {
                case .replaceSigningKey(let old, let new):
                    keys.removeAll { $0.keyID == old.keyID }
                    keys.append(new)
                case .deleteSigningKey(let key): keys.removeAll { $0.keyID == key.keyID }
                case .insertSigningKey(let key): keys.append(key)
                default: break
                }
            }
            return decision.outcome
        }
    }

    func signingKeys(of id: AppID) async throws -> [StoredSigningKey] {
        guard !broken.contains(id) else { throw StoreError.unavailable("broken") }
        return keys.withLock { $0.filter { $0.appID == id } }
    }

    func apps() async throws -> [App] {
        try served.withLock { served in
            guard !served.isAway else { throw StoreError.unavailable("away") }
            served.reads += 1
            return served.apps
        }
    }

    /// Adds an app, as another process does.
    func add(_ app: App) { served.withLock { $0.apps.append(app) } }

    /// Whether reading the apps fails.
    func setAway(_ isAway: Bool) { served.withLock { $0.isAway = isAway } }

    /// How often the apps were read.
    var readsOfApps: Int { served.withLock(\.reads) }

    func sealingKeyIDs() async throws -> Set<String> { throw StoreError.overloaded }

    func app(_ id: AppID) async throws -> App? { throw StoreError.overloaded }
}

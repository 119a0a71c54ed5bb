import SessionDomain
import Synchronization

/// Keeps hook keys, and has the apps and signing keys it is made with; everything else that an app store can do fails.
final class KeyStore: AppStore {
    private let keys: Mutex<[StoredHookKey]>
    private let served: [App]
    private let signing: [StoredSigningKey]

    init(apps: [App] = [], signingKeys: [StoredSigningKey] = [], hookKeys: [StoredHookKey] = []) {
        served = apps
        signing = signingKeys
        keys = Mutex(hookKeys)
    }

    func hookKeys(of id: AppID) async throws -> [StoredHookKey] {
        keys.withLock { $0.filter { $0.appID == id } }
    }

    func insertFirstHookKey(_ key: StoredHookKey) async throws {
        keys.withLock { keys in
            if !keys.contains(where: { $0.appID == key.appID }) { keys.append(key) }
        }
    }

    func apps() async throws -> [App] { served }

    func app(_ id: AppID) async throws -> App? { throw StoreError.overloaded }

    func createApp(_ app: App, keys: [StoredSigningKey]) async throws -> Bool { throw StoreError.overloaded }

    func updateApp<Answer: Sendable>(
        _ id: AppID, _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer? { throw StoreError.overloaded }

    func signingKeys(of id: AppID) async throws -> [StoredSigningKey] { signing.filter { $0.appID == id } }
}

package import Foundation
internal import SessionRSA
internal import SessionTokens

/// An app's key for what the service sends out, as stores keep it: RSA, sealed under the master key.
package struct StoredHookKey: Sendable, Equatable {
    package let appID: AppID
    /// RFC 7638 thumbprint; published in the app's `jwks.json`.
    package let keyID: String
    package let sealedPrivateKey: Data
    package let createdAt: Timestamp

    package init(appID: AppID, keyID: String, sealedPrivateKey: Data, createdAt: Timestamp) {
        self.appID = appID
        self.keyID = keyID
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
    }
}

extension KeyRing {
    func makeHookKey(app: AppID, at time: Timestamp) throws -> StoredHookKey {
        let key = try RSASigningKey.generate()
        return StoredHookKey(
            appID: app, keyID: key.keyID,
            sealedPrivateKey: try seal(key.derRepresentation, context: Self.context(app, key.keyID)), createdAt: time)
    }

    func open(_ stored: StoredHookKey) throws -> RSASigningKey {
        let secret = try open(stored.sealedPrivateKey, context: Self.context(stored.appID, stored.keyID))
        let key = try RSASigningKey(derRepresentation: secret)
        guard key.keyID == stored.keyID else { throw KeyRingError.cannotOpen }
        return key
    }

    private static func context(_ app: AppID, _ keyID: String) -> String { "\(app)/hook/\(keyID)" }
}

/// Makes an app's first hook key when something that signs with it is configured, or used at the latest.
package struct HookKeys: Sendable {
    private let store: any AppStore
    private let keys: KeyRing
    private let directory: AppDirectory?
    private let environment: ServiceEnvironment

    package init(store: any AppStore, keys: KeyRing, directory: AppDirectory?, environment: ServiceEnvironment) {
        self.store = store
        self.keys = keys
        self.directory = directory
        self.environment = environment
    }

    /// Makes sure that there is a key; of two that race, the first stored one is everybody's.
    package func ensure(app: AppID) async throws {
        guard try await store.hookKeys(of: app).isEmpty else { return }
        try await store.insertFirstHookKey(try keys.makeHookKey(app: app, at: environment.now()))
        directory?.invalidate()
    }

    /// The key that signs now.
    func current(of app: AppID) async throws -> RSASigningKey {
        try await ensure(app: app)
        guard let newest = try await store.hookKeys(of: app).first else { throw KeyRingError.cannotOpen }
        return try keys.open(newest)
    }
}

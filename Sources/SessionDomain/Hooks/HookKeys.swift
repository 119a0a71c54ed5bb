internal import SessionRSA

/// Makes an app's first hook key when something that signs with it is configured, or used at the latest.
package struct HookKeys: Sendable {
    private let store: any AppStore
    private let keys: KeyRing
    private let signingKeys: SigningKeys
    private let environment: ServiceEnvironment

    package init(store: any AppStore, keys: KeyRing, directory: AppDirectory?, environment: ServiceEnvironment) {
        self.store = store
        self.keys = keys
        self.environment = environment
        signingKeys = SigningKeys(store: store, keys: keys, directory: directory, environment: environment)
    }

    /// Makes sure that there is a key; of two that race, the first stored one is everybody's.
    package func ensure(app: AppID) async throws {
        guard try await schedule(of: app).keys.isEmpty else { return }
        try await signingKeys.rotate(.hook, of: app, reason: .first)
    }

    /// The key that signs now.
    func current(of app: AppID) async throws -> RSASigningKey {
        try await ensure(app: app)
        guard let key = try await schedule(of: app).signing(at: environment.now()) else {
            throw KeyRingError.cannotOpen
        }
        return try keys.openHookKey(key)
    }

    private func schedule(of app: AppID) async throws -> KeySchedule {
        KeySchedule(try await store.signingKeys(of: app), purpose: .hook)
    }
}

internal import SessionRSA

/// Creates an app's first hook key: when a hook or webhook is configured, or at the latest before the first signature.
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

    /// Creates a key if there is none. If two nodes do so at once, both use the key that was stored first.
    package func ensure(app: AppID) async throws {
        guard try await schedule(of: app).keys.isEmpty else { return }
        try await signingKeys.rotate(.hook, of: app, reason: .first)
    }

    /// Returns the key that signs now.
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

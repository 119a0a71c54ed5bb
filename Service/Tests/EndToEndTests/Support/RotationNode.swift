import SessionDomain

/// The parts of one node that sign tokens and rotate keys.
///
/// They are those of a whole service, or connected in the same way over an app store alone.
struct RotationNode: Sendable {
    let environment: ServiceEnvironment
    let directory: AppDirectory
    let signingKeys: SigningKeys
    let hookKeys: HookKeys
    let apps: AppManagement

    init(
        store: any AppStore, keys: KeyRing, origins: PublicOrigins, policy: KeyRotationPolicy,
        environment: ServiceEnvironment
    ) {
        self.environment = environment
        directory = AppDirectory(
            store: store, keys: keys, origins: origins, defaultApp: nil,
            keyRotation: policy, environment: environment)
        signingKeys = SigningKeys(
            store: store, keys: keys, directory: directory, environment: environment, policy: policy)
        hookKeys = HookKeys(store: store, keys: keys, directory: directory, environment: environment)
        apps = AppManagement(store: store, keys: signingKeys, directory: directory, environment: environment)
    }

    init(_ service: SessionService, keys: KeyRing) {
        environment = service.environment
        directory = service.directory
        signingKeys = service.signingKeys
        hookKeys = HookKeys(store: service.store, keys: keys, directory: directory, environment: environment)
        apps = service.apps
    }
}

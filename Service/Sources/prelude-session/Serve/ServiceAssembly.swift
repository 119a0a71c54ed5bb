import Foundation
import SessionArgon2
import SessionDelivery
import SessionDomain
import SessionEgress
import SessionHTTP

/// An open store, the service that uses it, and the path of a key file that was created for it.
struct ServiceAssembly {
    let store: any OpenedStore
    let service: SessionService
    let health: HealthMonitor
    /// The path of the key file, if `open` created it.
    let createdKeyFile: String?

    /// Opens the configured database, and reads or creates the master keys.
    ///
    /// - Parameters:
    ///   - keys: Whether the master keys are read.
    ///   - opening: Decides whether a missing database and its missing master keys are created, and whether an older schema
    ///     is migrated.
    ///   - managementKeys: Keys of the management API that the configuration names.
    ///   - certificate: What is wrong with the TLS certificate, for health checks.
    ///   - hiddenClients: The trusted proxy that hides its clients, for health checks.
    /// - Throws: `ConfigurationError` when the database or the keys cannot be used.
    static func open(
        _ configuration: ServiceConfiguration, keys use: MasterKeyUse = .needed, opening: OpenMode, defaultApp: AppID?,
        managementKeys: [ConfiguredManagementKey] = [], routes: any MessageRoutes, egress: any Egress,
        certificate: @escaping @Sendable () -> CertificateWatch.Finding? = { nil },
        hiddenClients: @escaping @Sendable () -> HiddenClients? = { nil },
        environment: ServiceEnvironment = .live
    ) async throws -> ServiceAssembly {
        let origins = try configuration.origins()
        let source = use == .none ? nil : try MasterKeySource.find(for: configuration)
        // Reads the keys first: with invalid keys, no new database must be created.
        let configured = try source?.read()
        let store: any OpenedStore
        do {
            store = try configuration.database.open(opening, environment: environment)
        } catch {
            throw ConfigurationError(error, opening: configuration.database, from: configuration.databaseSource)
        }
        do {
            let (keys, created): (KeyRing, String?) =
                use == .none
                ? (.withoutMasterKeys(random: environment.randomBytes(32)), nil)
                : try await keyRing(
                    of: store, configured: configured, from: source, use: use, opening: opening,
                    environment: environment)
            let service = SessionService(
                store: store, keys: keys, hasher: try Argon2PasswordHasher(observer: environment.observer),
                routes: routes, egress: egress,
                origins: origins, defaultApp: defaultApp, environment: environment,
                keyRotation: configuration.keyRotation, configuredKeys: managementKeys,
                configuredRoutes: configuration.delivery,
                routeFactory: configuration.routeBuilder(egress: egress, environment: environment),
                requests: configuration.requestLimit, wrongKeys: configuration.wrongKeyLimit)
            return ServiceAssembly(
                store: store, service: service, health: Self.health(store, keys, service, certificate, hiddenClients),
                createdKeyFile: created)
        } catch {
            try await store.close()
            throw error
        }
    }

    private static func health(
        _ store: any OpenedStore, _ keys: KeyRing, _ service: SessionService,
        _ certificate: @escaping @Sendable () -> CertificateWatch.Finding?,
        _ hiddenClients: @escaping @Sendable () -> HiddenClients?
    ) -> HealthMonitor {
        HealthMonitor(
            store: store.health,
            probes: HealthProbes(
                write: { try await store.checkWriting() },
                missingKeys: { try await store.sealingKeyIDs().subtracting(keys.ids) },
                freeBytes: { store.freeBytes }, logBytes: { store.logBytes },
                failingRoutes: { service.failingRoutes }, certificate: certificate, hiddenClients: hiddenClients),
            environment: service.environment)
    }

    private static func keyRing(
        of store: any OpenedStore, configured: [MasterKey]?, from source: MasterKeySource?, use: MasterKeyUse,
        opening: OpenMode, environment: ServiceEnvironment
    ) async throws -> (KeyRing, created: String?) {
        // A database in memory has random keys in memory.
        guard let source else { return (KeyRing(current: MasterKey(secret: Data(environment.randomBytes(32)))), nil) }
        // Another process may have created the file since the first read.
        if let keys = KeyRing(try configured ?? source.read() ?? []) {
            let missing = try await store.sealingKeyIDs().subtracting(keys.ids)
            guard missing.isEmpty || use == .replacing else { throw source.lacks(missing) }
            return (keys, nil)
        }
        // New keys for an existing database would end every session and could not open its signing keys.
        guard case .file(let file) = source, try await store.apps().isEmpty else { throw source.isMissing }
        // The service may have its keys somewhere else. Keys that a command creates here would not be those.
        guard opening == .migrating || store.schema.found == 0 else {
            throw ConfigurationError(
                "key-file",
                "\(source.name) is missing. Name the master keys of the service with --key-file or "
                    + "\(MasterKeySource.variable), or start the service: it creates them")
        }
        guard let keys = KeyRing(try file.create(environment: environment)) else {
            throw ConfigurationError("key-file", "\(file.path) contains no key")
        }
        return (keys, file.path)
    }
}

extension KeyRing {
    /// Returns `nil` without a key. The first key is the current one.
    fileprivate init?(_ keys: [MasterKey]) {
        guard let current = keys.first else { return nil }
        self.init(current: current, older: Array(keys.dropFirst()))
    }
}

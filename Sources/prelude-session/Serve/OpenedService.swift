import Foundation
import SessionArgon2
import SessionDomain
import SessionSQLite

/// A store with the keys that belong to it, and the service over both.
struct OpenedService {
    let store: SQLiteStore
    let service: SessionService
    /// Where new keys were written, if this start made them.
    let createdKeyFile: String?

    /// Opens the database that the configuration names, and reads or makes the keys.
    ///
    /// - Parameter opening: What may happen to the database, and so to its keys: who makes one makes the other.
    static func open(
        _ configuration: ServiceConfiguration, opening: Opening, defaultApp: AppID?,
        delivery: (any CodeDelivery)?, egress: any Egress, environment: ServiceEnvironment = .live,
        notices: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) async throws -> OpenedService {
        let origins = try configuration.origins()
        let source = try MasterKeySource.find(for: configuration)
        // Before the database: keys that are wrong must not leave a new one behind.
        let known = try source?.read()
        let store: SQLiteStore
        do {
            store = try SQLiteStore.open(configuration.database, opening: opening)
        } catch {
            throw ConfigurationError(error, opening: configuration.database, from: configuration.databaseSource)
        }
        do {
            let (keys, created) = try await keyRing(
                of: store, known: known, from: source, opening: opening, environment: environment)
            let service = SessionService(
                store: store, keys: keys, hasher: try Argon2PasswordHasher(), delivery: delivery, egress: egress,
                origins: origins, defaultApp: defaultApp, environment: environment,
                keyRotation: configuration.keyRotation, notices: notices)
            return OpenedService(store: store, service: service, createdKeyFile: created)
        } catch {
            try await store.close()
            throw error
        }
    }

    private static func keyRing(
        of store: SQLiteStore, known: KeyRing?, from source: MasterKeySource?, opening: Opening,
        environment: ServiceEnvironment
    ) async throws -> (KeyRing, created: String?) {
        // A database in memory has keys in memory.
        guard let source else { return (KeyRing(current: MasterKey(secret: Data(environment.randomBytes(32)))), nil) }
        // Somebody else may have made them since.
        if let known = try known ?? source.read() {
            let missing = try await store.sealingKeyIDs().subtracting(known.ids)
            guard missing.isEmpty else {
                throw ConfigurationError(
                    "master keys",
                    "\(source.name) lacks \(missing.sorted().joined(separator: ", ")), under which signing keys are "
                        + "sealed. Add that master key again, or restore what belongs to this database from your backup"
                )
            }
            return (known, nil)
        }
        // New keys for an old database would end every session and open none of its signing keys.
        guard case .file(let file) = source, try await store.apps().isEmpty else {
            throw ConfigurationError(
                "key-file",
                "\(source.name) is missing, and the database has apps. If the service has its master keys elsewhere, name "
                    + "them by --key-file or \(MasterKeySource.variable); else restore the file from your backup")
        }
        // A service without apps has keys somewhere; what a command made beside them would open nothing there.
        guard opening == .migrating || store.schema.found == 0 else {
            throw ConfigurationError(
                "key-file",
                "\(source.name) is missing. Name the master keys of the service by --key-file or "
                    + "\(MasterKeySource.variable), or start the service: it makes them")
        }
        return (try file.create(environment: environment), file.path)
    }
}

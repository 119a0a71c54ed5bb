import Foundation
import SessionArgon2
import SessionDomain
import SessionHTTP
import SessionSQLite

/// A store with the keys that belong to it, and the service over both.
struct OpenedService {
    let store: SQLiteStore
    let service: SessionService
    /// Where new keys were written, if this start made them.
    let createdKeyFile: String?

    /// Opens the database, applies migrations, and reads or makes the keys.
    ///
    /// - Parameter variables: The process's environment, in which master keys or a credential may be named.
    static func open(
        database: SQLiteLocation, keyFile: String?, variables: [String: String], origins: PublicOrigins,
        defaultApp: AppID?, delivery: (any CodeDelivery)?, egress: any Egress,
        keyRotation: KeyRotationPolicy = KeyRotationPolicy(), environment: ServiceEnvironment = .live,
        notices: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) async throws -> OpenedService {
        let store = try SQLiteStore.open(database)
        let (keys, created) = try await keyRing(
            for: store, database: database, keyFile: keyFile, variables: variables, environment: environment)
        let service = SessionService(
            store: store, keys: keys, hasher: try Argon2PasswordHasher(), delivery: delivery, egress: egress,
            origins: origins, defaultApp: defaultApp, environment: environment, keyRotation: keyRotation,
            notices: notices)
        return OpenedService(store: store, service: service, createdKeyFile: created)
    }

    private static func keyRing(
        for store: SQLiteStore, database: SQLiteLocation, keyFile: String?, variables: [String: String],
        environment: ServiceEnvironment
    ) async throws -> (KeyRing, created: String?) {
        guard case .file(let path) = database else {
            return (KeyRing(current: MasterKey(secret: Data(environment.randomBytes(32)))), nil)
        }
        let source = try MasterKeySource.find(keyFile: keyFile, database: path, environment: variables)
        if let keys = try source.read() {
            let missing = try await store.sealingKeyIDs().subtracting(keys.ids)
            guard missing.isEmpty else {
                throw ConfigurationError(
                    "master keys",
                    "\(source.name) lacks \(missing.sorted().joined(separator: ", ")), under which signing keys are "
                        + "sealed. Add that master key again, or restore what belongs to this database from your backup"
                )
            }
            return (keys, nil)
        }
        // New keys for an old database would end every session and open none of its signing keys.
        guard case .file(let file) = source, try await store.apps().isEmpty else {
            throw ConfigurationError(
                "key-file", "\(source.name) is missing, and the database has apps. Restore the file from your backup")
        }
        return (try file.create(environment: environment), file.path)
    }
}

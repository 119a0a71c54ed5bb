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
    static func open(
        database: SQLiteLocation, keyFile: String?, origins: PublicOrigins, defaultApp: AppID?,
        delivery: (any CodeDelivery)?, egress: any Egress, environment: ServiceEnvironment = .live
    ) async throws -> OpenedService {
        let store = try SQLiteStore.open(database)
        let (keys, created) = try await keyRing(
            for: store, database: database, keyFile: keyFile, environment: environment)
        let service = SessionService(
            store: store, keys: keys, hasher: try Argon2PasswordHasher(), delivery: delivery, egress: egress,
            origins: origins, defaultApp: defaultApp, environment: environment)
        return OpenedService(store: store, service: service, createdKeyFile: created)
    }

    private static func keyRing(
        for store: SQLiteStore, database: SQLiteLocation, keyFile: String?, environment: ServiceEnvironment
    ) async throws -> (KeyRing, created: String?) {
        guard case .file(let path) = database else {
            return (KeyRing(current: MasterKey(secret: Data(environment.randomBytes(32)))), nil)
        }
        let file = KeyFile(configured: keyFile, database: path)
        if file.exists { return (try file.read(), nil) }
        // New keys for an old database would end every session and open none of its signing keys.
        guard try await store.apps().isEmpty else {
            throw ConfigurationError(
                "key-file", "\(file.path) is missing, and the database has apps. Restore the file from your backup")
        }
        return (try file.create(environment: environment), file.path)
    }
}

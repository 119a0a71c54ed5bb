internal import Foundation
internal import GRDB
package import SessionDomain

/// One numbered step of the schema. Its number and its SQL never change.
struct Migration: Sendable {
    let number: Int
    let name: String
    let sql: String
    /// What the step does with rows, in the same transaction, where SQL is not enough.
    var rows: @Sendable (Database) throws -> Void = { _ in }

    /// All steps in order. A step has the same number in every store. A number can be missing in a store that does not need
    /// the step.
    static let all = [
        foundation, stepUp, signingKeys, rotationAttempts, deletedRedemptions, holds, managementKeys, audit, messages,
        eventsByActor, shortProofs, proofsInOrder, asciiDomains,
        locale, payers, proofsByKey, passkeys,
    ]

    /// Marks a file as a database of this service ("PSES"), so that the database of another program is never migrated.
    private static let applicationID = 0x5053_4553

    /// What the step runs, with the number that it writes.
    var statements: [String] {
        [sql, "PRAGMA application_id = \(Self.applicationID)", "PRAGMA user_version = \(number)"]
    }

    /// Migrates a database, each step in one transaction with its number.
    ///
    /// - Returns: The schema version before, 0 for a new database, and the version now.
    /// - Throws: `StoreError.newerSchema` for a database of a newer version; `StoreError.olderSchema` if `opening` does
    ///   not allow the migration.
    @discardableResult
    static func apply(
        _ migrations: [Migration] = all, to db: Database, opening: OpenMode = .migrating
    ) throws -> (found: Int, now: Int) {
        let supported = migrations.last?.number ?? 0
        var found = try version(of: db)
        guard found <= supported else { throw StoreError.newerSchema(found: found, supported: supported) }
        let mayMigrate =
            switch opening {
            case .migrating: true
            case .creating: found == 0
            case .existing: false
            }
        guard mayMigrate || found == supported else {
            throw StoreError.olderSchema(found: found, supported: supported)
        }
        for migration in migrations {
            try db.inTransaction(.immediate) {
                // The version is read inside the transaction: another process may have migrated while this one waited.
                let current = try version(of: db)
                guard current < migration.number else {
                    // It has created the database, so to this one the database was not new.
                    if found == 0, migration.number == migrations.first?.number { found = current }
                    return .rollback
                }
                for sql in migration.statements { try db.execute(sql: sql) }
                try migration.rows(db)
                return .commit
            }
        }
        return (found, supported)
    }

    static func version(of db: Database) throws -> Int {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let owner = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard owner == applicationID || (owner == 0 && version == 0 && tables == 0) else {
            throw StoreError.unavailable("the file is a database of another program")
        }
        return version
    }
}

extension SQLiteStore {
    /// Reads the schema of a database, and changes nothing. Other processes may use it.
    ///
    /// - Throws: `StoreError.missing` without a file, and `StoreError.unavailable` for one that cannot be read.
    package static func schema(at path: String) throws(StoreError) -> SchemaState {
        do {
            let resolved = try DatabaseFile.resolved(path)
            guard DatabaseFile.exists(at: resolved) else { throw StoreError.missing }
            let lock = DatabaseFile.exists(at: resolved + ".lock") ? try DatabaseLock(resolved, .shared) : nil
            defer { lock?.release() }
            if let lock { try LostFiles.refuse(at: resolved, lock: lock) }
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: resolved, configuration: configuration)
            let found = try database.read { try Migration.version(of: $0) }
            try database.close()
            let pending = Migration.all.filter { $0.number > found }.map {
                SchemaState.Step(
                    number: $0.number, name: $0.name, sql: ["BEGIN IMMEDIATE"] + $0.statements + ["COMMIT"])
            }
            return SchemaState(
                found: found, supported: supportedSchema, isUsable: found <= supportedSchema, pending: pending)
        } catch {
            throw StoreError(error)
        }
    }
}

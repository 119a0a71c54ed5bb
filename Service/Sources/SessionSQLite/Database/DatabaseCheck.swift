internal import Foundation
internal import GRDB
package import SessionDomain
internal import SessionSQL

/// Checks the structure of a database file.
package enum DatabaseCheck {
    /// The size up to which the start waits for the check: about two seconds.
    package static let bytesAtStart: Int64 = 1 << 30

    /// Reads every page once. Rows and indexes are not compared, so it is much faster than `integrity_check`.
    ///
    /// - Parameter table: Only its pages, and those of its indexes.
    /// - Throws: `StoreError.damaged` with the first finding.
    static func run(_ db: Database, table: String? = nil) throws {
        let part = table.map(\.quotedDatabaseIdentifier) ?? "1"
        let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(\(part))") ?? "no result"
        guard finding == "ok" else {
            throw StoreError.damaged(String(finding.map { $0 == "\n" ? " " : $0 }))
        }
    }

    static func size(of db: Database) throws -> Int64 {
        let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        return try pages * (Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
    }

    static func tables(of db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    }

    /// Checks that SQLite has opened the file for writing. Otherwise it has opened it for reading only, and does not try
    /// again when the file system can be written. Nothing is written.
    static func isWritable(_ db: Database) throws {
        try db.inTransaction(.immediate) {
            try db.execute(sql: "PRAGMA user_version = \(try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0)")
            return .rollback
        }
    }

    /// Checks a database that no process has open, without writing beside it.
    ///
    /// - Returns: The version of its schema.
    /// - Throws: `StoreError.damaged`; `.unavailable` for the database of another program.
    package static func run(at path: String) throws -> Int {
        do {
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let version = try database.read { db in
                try run(db)
                return try Migration.version(of: db)
            }
            try database.close()
            return version
        } catch {
            throw StoreError(error)
        }
    }
}

extension DatabaseSummary {
    /// Reads a database without changing it, also while the service uses it.
    ///
    /// - Parameter checkingStructure: Whether every page is read, as at the start of the service: a second for each 500 MB.
    /// - Returns: `nil` without a file, and for an empty one that never had content. Every schema has the tables that are read here.
    /// - Throws: `StoreError.newerSchema`, `.damaged`, or `.unavailable` for a file that cannot be read.
    package static func read(
        at path: String, checkingStructure: Bool = false
    ) throws(StoreError) -> DatabaseSummary? {
        do {
            var file = stat()
            guard stat(path, &file) == 0 else { return nil }
            let resolved = try DatabaseFile.resolved(path)
            guard file.st_size > 0 else {
                try NewDatabase.checkHasNoTraces(beside: resolved)
                return nil
            }
            // Without a lock, no process has opened the database since it has this name.
            let lock = DatabaseFile.exists(at: resolved + ".lock") ? try DatabaseLock(resolved, .shared) : nil
            defer { lock?.release() }
            if let lock { try LostFiles.refuse(at: resolved, lock: lock) }
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: resolved, configuration: configuration)
            let summary = try database.read { db -> DatabaseSummary? in
                let (found, supported) = (try Migration.version(of: db), SQLiteStore.supportedSchema)
                guard found <= supported else { throw StoreError.newerSchema(found: found, supported: supported) }
                if checkingStructure { try DatabaseCheck.run(db) }
                guard found > 0 else { return nil }
                return DatabaseSummary(
                    schema: found, apps: Set(try db.all("SELECT id FROM apps") { try $0.next() }),
                    sealingKeyIDs: try SealedSettings.keyIDs(
                        SealedSettings.statements(.sqlite).map { SQLiteRows(db: db, statement: $0) }))
            }
            try database.close()
            return summary
        } catch {
            throw StoreError(error)
        }
    }
}

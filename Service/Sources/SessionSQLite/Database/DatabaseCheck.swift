internal import GRDB
internal import SessionDomain

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

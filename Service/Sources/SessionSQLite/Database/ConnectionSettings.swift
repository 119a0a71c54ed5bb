internal import GRDB
internal import SessionDomain

/// The settings of every connection.
enum ConnectionSettings {
    /// Seconds to wait for another process, such as a command that runs beside the service.
    static let busyTimeout = 5.0
    /// SQLite 3.39, the first with `IS NOT DISTINCT FROM`.
    static let oldestVersion: Int32 = 3_039_000

    /// Rejects a library of SQLite that cannot run the statements.
    ///
    /// - Parameter version: As `sqlite3_libversion_number` returns it: 3 039 000 for 3.39.
    static func checkVersion(_ version: Int32) throws(StoreError) {
        guard version < oldestVersion else { return }
        throw .unavailable(
            "the library of SQLite has version \(version / 1_000_000).\(version / 1000 % 1000), and 3.39 or later is needed"
        )
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "prelude-session"
        configuration.busyMode = .timeout(busyTimeout)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            // A manipulated file must not call our SQL functions through its schema.
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try keepPages(db, kibibytes: smallestCache)
            try makeDurable(db)
            // A log that a long read has made longer gets this size when it begins again.
            try db.execute(sql: "PRAGMA journal_size_limit = \(HealthFindings.longestLog)")
        }
        return configuration
    }

    private static let smallestCache: Int64 = 16 * 1024
    private static let largestCache: Int64 = 256 * 1024

    /// Keeps more pages of a large file in memory, for the writer of a service.
    ///
    /// About one page in a hundred is an inner page of a tree. Every search reads some of them: without a place for them, a
    /// refresh among ten million sessions read twelve pages from the file.
    static func keepInnerPages(_ db: Database, fileBytes: Int64) throws {
        try keepPages(db, kibibytes: cacheKibibytes(fileBytes: fileBytes))
    }

    static func cacheKibibytes(fileBytes: Int64) -> Int64 {
        min(max(fileBytes / 32 / 1024, smallestCache), largestCache)
    }

    private static func keepPages(_ db: Database, kibibytes: Int64) throws {
        try db.execute(sql: "PRAGMA cache_size = -\(kibibytes)")
    }

    /// Makes every commit reach the disk before it is answered. FULL syncs the WAL at each commit; macOS also needs
    /// `fullfsync` to flush the cache of the drive.
    ///
    /// A pool sets its writer to NORMAL while it opens, so the store calls this again afterwards.
    static func makeDurable(_ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "PRAGMA fullfsync = ON")
        try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
    }

    /// Keeps copies of changed pages in memory, for the writer of a service. Above 64 KB, SQLite writes them to a temporary
    /// file: in a commit of several logins, these were more writes than those to the log.
    ///
    /// Call this after a migration: it sorts the rows of a new index, and of a large table they belong into a file.
    static func keepPageCopiesInMemory(_ db: Database) throws {
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
    }
}

/// A database in memory with the newest schema.
///
/// It is a copy of one that was migrated once, because a suite of tests opens hundreds.
enum MemoryDatabase {
    private static let empty = Result {
        let database = try DatabaseQueue(configuration: ConnectionSettings.configuration)
        try database.writeWithoutTransaction { db in _ = try Migration.apply(to: db) }
        return database
    }

    static func open() throws -> DatabaseQueue {
        let database = try DatabaseQueue(configuration: ConnectionSettings.configuration)
        try empty.get().backup(to: database)
        return database
    }
}

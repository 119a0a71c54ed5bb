internal import GRDB

/// The settings of every connection.
enum ConnectionSettings {
    /// Seconds to wait for another process, such as a command that runs beside the service.
    static let busyTimeout = 5.0

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "prelude-session"
        configuration.busyMode = .timeout(busyTimeout)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            // A manipulated file must not call our SQL functions through its schema.
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA cache_size = -16384")
            try makeDurable(db)
        }
        return configuration
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
}

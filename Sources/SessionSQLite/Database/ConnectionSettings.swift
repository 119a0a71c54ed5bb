internal import GRDB

/// What every connection is opened with.
enum ConnectionSettings {
    /// Seconds to wait for another process, such as a command run beside the service.
    static let busyTimeout = 5.0

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "prelude-session"
        configuration.busyMode = .timeout(busyTimeout)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            // A tampered file must not run functions of ours through its schema.
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA cache_size = -16384")
            try makeDurable(db)
        }
        return configuration
    }

    /// Every commit reaches the disk before it is answered: FULL syncs the WAL at each one, and macOS needs to be told
    /// to flush the drive's own cache.
    ///
    /// A pool lowers its writer to NORMAL while it opens, so the store calls this once more afterwards.
    static func makeDurable(_ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "PRAGMA fullfsync = ON")
        try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
    }
}

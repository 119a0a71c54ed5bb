internal import GRDB

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

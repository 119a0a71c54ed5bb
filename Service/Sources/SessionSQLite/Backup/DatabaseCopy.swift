internal import GRDB
internal import SessionDomain

/// Copies a database while other processes write to it.
package enum DatabaseCopy {
    /// Writes a consistent copy as one file and syncs it. The copy is in rollback mode and has no free pages.
    ///
    /// `VACUUM INTO` reads one snapshot, so writers do not disturb it. The online backup API would begin again after each
    /// commit of another process, and never end under load. The write-ahead log grows until the copy is written.
    ///
    /// - Parameter destination: A path without a file.
    package static func write(_ source: String, to destination: String) throws {
        do {
            // Only the owner can read the copy: SQLite writes into an empty file, but keeps its mode.
            try DatabaseFile.create(at: destination)
            let database = try DatabaseQueue(path: source, configuration: ConnectionSettings.configuration)
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [destination])
            }
            try database.close()
            try DurableFile.sync(destination)
        } catch {
            throw StoreError(error)
        }
    }
}

internal import Foundation
internal import GRDB
internal import SessionDomain

/// Replaces the file of a database that no process has open.
///
/// A database is more than its file: SQLite would apply a `-wal` or `-journal` file of the old database to the new one and
/// corrupt it. So these files are merged or set aside before the new file gets the name. A crash at any point leaves the
/// old database or the new one, never a mixture.
package struct DatabaseReplacement: Sendable {
    /// The path of the database without symbolic links.
    package let path: String
    private let lock: DatabaseLock

    /// Locks the database against the service and other commands, until the value is released.
    ///
    /// - Throws: `StoreError.inUse` when a process has the database open.
    package init(of path: String) throws {
        self.path = DatabaseFile.resolved(path)
        lock = try DatabaseLock(path, .exclusive)
        if DatabaseFile.exists(at: self.path) { try settle() }
    }

    /// Gives another file the name of the database.
    ///
    /// - Parameters:
    ///   - file: A synced database file in the same file system, in rollback mode.
    ///   - kept: The path under which the replaced database is kept.
    package func replace(with file: String, keeping kept: String) throws {
        if DatabaseFile.exists(at: path) { try DurableFile.link(path, as: kept) }
        // Only a damaged database still has these files here.
        for suffix in ["-wal", "-journal"] where DatabaseFile.exists(at: path + suffix) {
            try DurableFile.move(path + suffix, to: kept + suffix)
        }
        // An index of the log, which has no content of its own.
        if DatabaseFile.exists(at: path + "-shm") { try FileManager.default.removeItem(atPath: path + "-shm") }
        try DurableFile.move(file, to: path)
    }

    package func release() { lock.release() }

    /// Writes the log into the database and deletes it. SQLite does this only if no other connection is open, so it also
    /// detects processes that do not take the lock, such as `sqlite3` and older versions of the service.
    private func settle() throws {
        do {
            let database = try DatabaseQueue(path: path, configuration: ConnectionSettings.configuration)
            let mode = try database.writeWithoutTransaction { db in
                try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try database.close()
            guard mode == "delete" else { throw StoreError.inUse }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw StoreError.inUse
        } catch is DatabaseError {
            // The database is damaged. It is kept as it is, with its files.
        }
    }
}

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
    /// - Throws: `StoreError.inUse` when a process has the database open; `StoreError.unavailable` when the process is
    ///   root's and the path has a link of another user.
    package init(of path: String) throws {
        self.path = try DatabaseFile.resolved(path)
        lock = try DatabaseLock(self.path, .exclusive)
        if DatabaseFile.exists(at: self.path) {
            try Self.undoUnfinished(of: self.path)
            try settle()
        }
    }

    /// The start of what is appended to the path of a database when it is replaced and kept.
    package static let keptSuffix = ".replaced-"

    /// Undoes a replacement that was killed before the new file got the name of the database.
    ///
    /// Then the database has two names. Two names for one file are not safe: SQLite names the log after the one it opens.
    /// The caller holds the lock of the database, so no replacement is running.
    static func undoUnfinished(of path: String) throws {
        let directory = (path as NSString).deletingLastPathComponent
        let prefix = (path as NSString).lastPathComponent + keptSuffix
        // A restore can list the directory that it writes to, so without names there was none.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let other = (directory as NSString).appendingPathComponent(name)
            guard DatabaseFile.isSame(path, other) else { continue }
            for suffix in ["-wal", "-journal"]
            where DatabaseFile.exists(at: other + suffix) && !DatabaseFile.exists(at: path + suffix) {
                try DurableFile.move(other + suffix, to: path + suffix)
            }
            try DurableFile.remove(other)
        }
    }

    /// Gives another file the name of the database.
    ///
    /// - Parameters:
    ///   - file: A synced database file in the same file system, in rollback mode.
    ///   - kept: The path under which the replaced database is kept: its own, with `keptSuffix` and a text.
    package func replace(with file: String, keeping kept: String) throws {
        if DatabaseFile.exists(at: path) { try DurableFile.link(path, as: kept) }
        // Only a damaged database still has these files here.
        for suffix in ["-wal", "-journal"] where DatabaseFile.exists(at: path + suffix) {
            try DurableFile.move(path + suffix, to: kept + suffix)
        }
        // An index of the log, which has no content of its own.
        try DurableFile.remove(path + "-shm")
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
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            // The database is damaged. It is kept as it is, with its files.
        } catch {
            // Such as a full disk. The log may have commits that the database lacks, so it must not be set aside.
            throw StoreError(error)
        }
    }
}

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

internal import Foundation
internal import GRDB
internal import SessionDomain

/// Creates the file of a database, and recognizes one that has lost its content.
///
/// SQLite takes an empty file for a new database. A file that a full disk or a failed copy left empty must not be one: the
/// service would start without users. So a new file gets its first page before it gets the name of the database and
/// before the lock is created. An empty file beside a lock, a log or a key file has lost its content, at whatever point
/// a process was killed. A missing file beside a lock or a log has been lost, too; the key file may come first.
enum NewDatabase {
    /// What exists beside a database that has been in use. The first start creates the key file after the tables.
    private static let traces = [".lock", "-wal", ".keys"]

    /// Creates a missing file if `opening` allows that, and checks an empty one.
    ///
    /// - Parameter path: A resolved path.
    /// - Throws: `StoreError.missing`; `StoreError.damaged` for a file that has lost its content;
    ///   `StoreError.olderSchema` for an empty file that never had one, if `opening` is `.existing`.
    static func prepare(at path: String, opening: OpenMode) throws {
        var file = stat()
        guard stat(path, &file) == 0 else {
            guard opening != .existing else { throw StoreError.missing }
            try checkWasNotLost(at: path)
            return try create(at: path)
        }
        guard file.isRegularFile, file.st_size == 0 else { return }
        try checkHasNoTraces(beside: path)
        // Such as a file that was created for its owner and mode.
        guard opening != .existing else {
            throw StoreError.olderSchema(found: 0, supported: SQLiteStore.supportedSchema)
        }
        try writeFirstPage(to: path)
    }

    /// Checks that a missing file never existed. With a new database, the service would sign out all users.
    ///
    /// - Throws: `StoreError.unavailable`.
    private static func checkWasNotLost(at path: String) throws {
        let traces = [".lock", "-wal"].filter { DatabaseFile.exists(at: path + $0) }
        // Another process may create the database now. It creates the other files later, so look for the database again.
        guard let trace = traces.first, !DatabaseFile.exists(at: path) else { return }
        let name = (path as NSString).lastPathComponent
        throw StoreError.unavailable(
            "the file is missing, but \(name)\(trace) beside it shows that the database was in use. Move the file back, or "
                + "restore a backup with `prelude-session backup restore`. To begin with a new database instead, delete "
                + traces.map { name + $0 }.joined(separator: " and "))
    }

    /// Checks that an empty file never had content.
    ///
    /// - Parameter path: A resolved path.
    /// - Throws: `StoreError.damaged`.
    static func checkHasNoTraces(beside path: String) throws {
        guard let trace = traces.first(where: { DatabaseFile.exists(at: path + $0) }) else { return }
        let name = (path as NSString).lastPathComponent
        throw StoreError.damaged(
            "the file is empty, but \(name)\(trace) beside it shows that the database was in use. To begin with a new "
                + "database instead, delete it, its lock and its log")
    }

    /// Creates a file that only its owner can read. SQLite gives the `-wal` and `-shm` files the same mode.
    private static func create(at path: String) throws {
        // Other processes may create the database at the same time. Each has a file of its own, and one gets the name.
        let partial = path + ".new-" + String(getpid())
        try DurableFile.remove(partial)
        defer { try? DurableFile.remove(partial) }
        try DatabaseFile.create(at: partial, owner: FileOwner(beside: path)) {
            try writeFirstPage(to: partial)
            try DurableFile.sync(partial)
        }
        guard linkat(AT_FDCWD, partial, AT_FDCWD, path, 0) == 0 || errno == EEXIST else {
            throw StoreError.unavailable("cannot create the database file \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Writes a database without tables.
    private static func writeFirstPage(to path: String) throws {
        let database = try DatabaseQueue(path: path, configuration: ConnectionSettings.configuration)
        try database.writeWithoutTransaction { db in
            // Another process may have written the tables meanwhile.
            try db.inTransaction(.immediate) {
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                try db.execute(sql: "PRAGMA user_version = \(version)")
                return .commit
            }
        }
        try database.close()
    }
}

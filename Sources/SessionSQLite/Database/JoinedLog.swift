internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// Writes the pages of a commit to the log with one call of the system.
///
/// SQLite writes each page in two pieces, a header and its content, and on ext4 each piece takes about 2.5 microseconds, so
/// that a commit spent as much time on writing as on the sync (`docs/hot-path.md`). SQLite has no setting for it, but a
/// program may put a layer over the functions that write files (SQLite: "The SQLite OS Interface or VFS"). This one collects
/// the pieces while a commit of `GroupCommit` runs (`LogFile`). All other calls pass through.
enum JoinedLog {
    /// SQLite's own functions, with this layer over them as the default; `nil` if there are none. Nobody changes them.
    nonisolated(unsafe) private static let system: UnsafeMutablePointer<sqlite3_vfs>? = {
        guard let system = sqlite3_vfs_find(nil) else { return nil }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: system.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(strdup("prelude-session"))
        layer.pointee.szOsFile += CInt(LogFile.size)
        layer.pointee.xOpen = { _, name, file, flags, usedFlags in
            guard let system = JoinedLog.system, let file else { return SQLITE_CANTOPEN }
            guard flags & SQLITE_OPEN_WAL != 0 else {
                return system.pointee.xOpen(system, name, file, flags, usedFlags)
            }
            return LogFile.open(file) { system.pointee.xOpen(system, name, $0, flags, usedFlags) }
        }
        return sqlite3_vfs_register(layer, 1) == SQLITE_OK ? system : nil
    }()

    /// Adds the layer to what this process opens from now on.
    static func prepare() { _ = system }

    /// Runs a statement that commits.
    static func commit(_ db: Database, _ statement: () throws -> Void) throws {
        guard let log = log(of: db) else { return try statement() }
        log.pointee.beginCommit()
        do {
            try statement()
        } catch {
            _ = LogFile.endCommit(of: log, hasFailed: true)
            throw error
        }
        // The sync of the commit has left nothing.
        let code = LogFile.endCommit(of: log, hasFailed: false)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// The log of a connection; `nil` if it has none, or was opened without the layer.
    private static func log(of db: Database) -> UnsafeMutablePointer<LogFile>? {
        var file: SQLiteFile?
        guard sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK else {
            return nil
        }
        return file.flatMap(LogFile.of)
    }
}

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
    /// Whether SQLite opens files with the layer, as of the first use of this value.
    private static let isReady: Bool = {
        guard let system = sqlite3_vfs_find(nil) else { return false }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: system.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(strdup("prelude-session"))
        layer.pointee.szOsFile += CInt(LogFile.size)
        layer.pointee.pAppData = UnsafeMutableRawPointer(system)
        layer.pointee.xOpen = { layer, name, file, flags, usedFlags in
            guard let system = layer?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self), let file else {
                return SQLITE_MISUSE
            }
            let open = { system.pointee.xOpen(system, name, $0, flags, usedFlags) }
            return flags & SQLITE_OPEN_WAL == 0 ? open(file) : LogFile.open(file, open)
        }
        return sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }()

    /// Adds the layer to what this process opens from now on. Without it, commits are slower and otherwise the same.
    static func prepare() { _ = isReady }

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
    static func log(of db: Database) -> UnsafeMutablePointer<LogFile>? {
        var file: SQLiteFile?
        guard sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK else {
            return nil
        }
        return file.flatMap(LogFile.of)
    }
}

internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SessionDomain
internal import Synchronization

/// The files of an open database, and the names under which they were opened.
///
/// SQLite goes on writing to files that were deleted or replaced, and these writes would be lost at the next start. So each
/// transaction and each read compares the three names.
final class OpenFiles: Sendable {
    private enum Part: String, CaseIterable {
        case database = ""
        case log = "-wal"
        case index = "-shm"
    }

    /// Which file a name means. It stays the same when the file is renamed.
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    /// The pages of a log at which a commit copies it, because `LogCopier` could not: 64 MB.
    private static let longestLog: CInt = 16_000

    private let path: String
    private let identities: [Part: Identity]
    /// The pages of the log after the last commit.
    let logPages = Atomic(0)

    /// - Parameter path: The path of a database that was opened in WAL mode.
    /// - Returns: `nil` if one of the three files cannot be found.
    init?(path: String) {
        self.path = path
        identities = Part.allCases.reduce(into: [:]) { $0[$1] = Self.status(path + $1.rawValue)?.identity }
        guard identities.count == Part.allCases.count else { return nil }
    }

    /// Counts the pages of the log after each commit of a connection, which must not outlive this object. It replaces the
    /// automatic copy by SQLite.
    func followLog(of db: Database) {
        let files = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            db.sqliteConnection,
            { files, connection, name, pages in
                guard let files else { return SQLITE_OK }
                Unmanaged<OpenFiles>.fromOpaque(files).takeUnretainedValue().logPages
                    .store(Int(pages), ordering: .relaxed)
                // As SQLite's own hook, it ignores a failure: the commit has succeeded.
                if pages >= OpenFiles.longestLog {
                    sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            }, files)
    }

    /// Compares the names.
    ///
    /// - Throws: `StoreError.unavailable` if a file was deleted or replaced, or the database was emptied.
    func check() throws(StoreError) {
        for part in Part.allCases {
            let file = Self.status(path + part.rawValue)
            guard file?.identity == identities[part] else { throw lost(part, isReplaced: file != nil) }
            guard part != .database || file?.size != 0 else {
                throw .unavailable(
                    "\(path) was emptied while the service runs. Nothing is read or written: stop the service and restore a "
                        + "backup")
            }
        }
    }

    /// Whether all files are the ones that were opened.
    var areIntact: Bool { (try? check()) != nil }

    /// Whether closing may copy the log into the database. Also a deleted log: it is still open, and no other process of the
    /// service opens the database without it. A file of others means that they may have written to the database.
    var mayBeCopied: Bool {
        Part.allCases.allSatisfy { part in
            guard let file = Self.status(path + part.rawValue) else { return part != .database }
            return file.identity == identities[part] && (part != .database || file.size > 0)
        }
    }

    private func lost(_ part: Part, isReplaced: Bool) -> StoreError {
        let name = path + part.rawValue
        let remedy =
            switch (part, isReplaced) {
            case (.database, false): "move the file back, or stop the service and restore a backup"
            case (.database, true): "restart the service"
            case (_, false):
                "stop every process of the service with SIGTERM, which copies the last commits into the database, and start "
                    + "it again. A process that is killed loses them"
            case (_, true):
                "move the file back if you can, because the last commits may be in no other one, and restart every process "
                    + "of the service"
            }
        return .unavailable(
            "\(name) was \(isReplaced ? "replaced" : "deleted") while the service runs. Nothing is read or written: \(remedy)"
        )
    }

    /// The size of the log. `nil` if it cannot be found.
    var logBytes: Int64? { Self.status(path + Part.log.rawValue)?.size }

    /// Bytes that this user can still write. `nil` if the system does not say.
    var freeBytes: Int64? {
        var volume = statvfs()
        guard statvfs((path as NSString).deletingLastPathComponent, &volume) == 0 else { return nil }
        return Int64(
            clamping: UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize)).partialValue)
    }

    private static func status(_ path: String) -> (identity: Identity, size: Int64)? {
        var file = stat()
        guard stat(path, &file) == 0 else { return nil }
        return (
            Identity(device: UInt64(truncatingIfNeeded: file.st_dev), inode: UInt64(file.st_ino)), Int64(file.st_size)
        )
    }
}

/// Databases that stay open until the process ends, because files of them were replaced.
///
/// The last connection that closes copies the log into the database. With files that others have replaced, that would
/// overwrite what another process has written since.
enum LeftOpen {
    private static let databases = Mutex<[any DatabaseWriter]>([])

    static func keep(_ database: any DatabaseWriter) { databases.withLock { $0.append(database) } }
}

/// Refuses to open a database whose log or index was deleted while another process has it open.
///
/// SQLite would create new files, and both processes would write to the database without seeing each other's locks.
enum LostFiles {
    /// Attempts, and microseconds between two: five seconds. A process that starts or ends lacks the files for milliseconds.
    static let patience = (attempts: 250, pause: UInt32(20_000))

    /// - Parameters:
    ///   - path: A resolved path of a database.
    ///   - lock: The shared lock of this process.
    /// - Throws: `StoreError.unavailable` if another process has the database open without these files.
    static func refuse(at path: String, lock: DatabaseLock, attempts: Int = patience.attempts) throws {
        for attempt in 1... {
            guard let missing = ["-wal", "-shm"].first(where: { !DatabaseFile.exists(at: path + $0) }) else { return }
            if try lock.isAlone() { return }
            guard attempt < attempts else {
                let name = (path as NSString).lastPathComponent
                throw StoreError.unavailable(
                    "another process has it open, and \(name)\(missing) was deleted meanwhile. Nothing is read or written, "
                        + "because each process would miss the changes of the other one: stop every process of the service, "
                        + "and start it again")
            }
            usleep(patience.pause)
        }
    }
}

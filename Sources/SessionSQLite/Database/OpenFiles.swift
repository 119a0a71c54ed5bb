internal import Foundation
internal import SessionDomain
internal import Synchronization

/// The files of an open database, and the names under which they were opened.
///
/// SQLite goes on writing to files that were deleted or replaced, and these writes would be lost at the next start. So each
/// transaction compares the three names, and whether the log still has what was committed. It costs seven calls of the
/// system, less than a microsecond each.
///
/// A deleted log is written again from the file that is still open (`OpenLog`). The database and its index cannot be:
/// SQLite has locks on both.
@available(service, *)
final class OpenFiles: Sendable {
    private let path: String
    private let database: FileIdentity
    private let index: FileIdentity
    private let log: OpenLog
    /// `nil` if the index cannot be read.
    private let logIndex: LogIndex?
    /// Whether committed pages are lost. Nothing brings them back.
    private let hasLostPages = Atomic(false)
    /// The pages of the log at the last check.
    let logPages = Atomic(0)

    /// - Parameter path: The path of a database that was opened in WAL mode.
    /// - Returns: `nil` if one of the three files cannot be found.
    init?(path: String) {
        guard let database = FileIdentity(path: path), let index = FileIdentity(path: path + "-shm"),
            let log = OpenLog(database: path)
        else { return nil }
        (self.path, self.database, self.index, self.log) = (path, database, index, log)
        logIndex = LogIndex(index)
    }

    /// Whether the log was deleted, or renamed away.
    var lacksLog: Bool { FileIdentity(path: path + "-wal") == nil }

    /// Whether the log has no name any more. Faster than `lacksLog`, but a renamed log still has a name.
    var hasDeletedLog: Bool { log.isDeleted }

    /// Compares the names, and writes a deleted log again.
    ///
    /// The caller holds the write lock of the database, so no process writes to the log meanwhile.
    ///
    /// - Returns: Whether the log was written again.
    /// - Throws: `StoreError.unavailable` if a file is lost, or the log cannot be written.
    func check() throws(StoreError) -> Bool {
        try checkDatabase()
        let hasIndex = index == FileIdentity(path: path + "-shm")
        let hasLog = log.hasName
        var isRestored = false
        // With another file under the name of the log, this process reads an old one, and the index is about the new one.
        if hasLog || lacksLog || log.isReplacedByEmpty, let logIndex {
            if let pages = log.pages(in: logIndex) {
                logPages.store(pages, ordering: .relaxed)
            } else {
                hasLostPages.store(true, ordering: .relaxed)
            }
        }
        try checkPages()
        if !hasLog {
            try log.restore(replacingEmpty: hasIndex)
            isRestored = true
        }
        guard hasIndex else { throw lost("-shm") }
        return isRestored
    }

    /// Compares the names, for a reader. A deleted log is no error here: the writer restores it.
    ///
    /// - Throws: `StoreError.unavailable` if a file is lost.
    func checkForReading() throws(StoreError) {
        try checkDatabase()
        try checkPages()
        guard index == FileIdentity(path: path + "-shm") else { throw lost("-shm") }
        guard log.hasName || lacksLog || log.isReplacedByEmpty else { throw log.replaced }
    }

    /// Whether a file is lost, so that SQLite must not copy the log into the database any more.
    var areLost: Bool {
        do {
            try checkForReading()
            return !log.hasName
        } catch { return true }
    }

    private func checkDatabase() throws(StoreError) {
        guard let file = FileStatus(path: path) else {
            throw .unavailable(
                "\(path) cannot be found (\(String(cString: strerror(errno)))). Nothing is written to a deleted file: stop "
                    + "the service and restore a backup, or move the file back")
        }
        guard file.identity == database else {
            throw .unavailable(
                "\(path) was replaced while the service runs. Nothing is written to the old file: restart the service")
        }
        guard file.size > 0 else {
            throw .unavailable(
                "\(path) was emptied while the service runs. Nothing is written to it: stop the service and restore a backup"
            )
        }
    }

    private func checkPages() throws(StoreError) {
        guard hasLostPages.load(ordering: .relaxed) else { return }
        throw .unavailable(
            "\(path)-wal was truncated or overwritten while the service runs, so the last commits are lost. Nothing is "
                + "written, because that would damage the database: restart every process of the service. The database "
                + "then has the commits up to its last checkpoint")
    }

    private func lost(_ suffix: String) -> StoreError {
        .unavailable(
            "\(path)\(suffix) was deleted or replaced while the service runs. The committed data is in the database and its "
                + "log, so nothing is lost: restart every process of the service, and leave the files beside the database alone"
        )
    }

    /// The size of the log. `nil` if it cannot be found.
    var logBytes: Int64? { FileStatus(path: path + "-wal")?.size }

    /// Bytes that this user can still write. `nil` if the system does not say.
    var freeBytes: Int64? {
        var volume = statvfs()
        guard statvfs((path as NSString).deletingLastPathComponent, &volume) == 0 else { return nil }
        return Int64(
            clamping: UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize)).partialValue)
    }
}

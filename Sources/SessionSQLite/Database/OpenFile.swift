internal import Foundation
internal import SessionDomain

/// The file of an open database, and the name under which it was opened.
///
/// SQLite goes on writing to a file that was deleted or replaced, and these writes would be lost at the next start. So
/// the writer compares the name before each transaction. It costs a microsecond.
struct OpenFile: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// - Returns: `nil` if the file cannot be found.
    init?(path: String) {
        var file = stat()
        guard stat(path, &file) == 0 else { return nil }
        (self.path, device, inode) = (path, file.st_dev, file.st_ino)
    }

    /// - Throws: `StoreError.unavailable` when the name is gone, or names another file.
    func checkName() throws(StoreError) {
        var file = stat()
        guard stat(path, &file) == 0 else {
            throw .unavailable(
                "\(path) cannot be found (\(String(cString: strerror(errno)))). Nothing is written to a deleted file: stop "
                    + "the service and restore a backup, or move the file back")
        }
        guard file.st_dev == device, file.st_ino == inode else {
            throw .unavailable(
                "\(path) was replaced while the service runs. Nothing is written to the old file: restart the service")
        }
    }

    /// Bytes that this user can still write. `nil` if the system does not say.
    var freeBytes: Int64? {
        var volume = statvfs()
        guard statvfs((path as NSString).deletingLastPathComponent, &volume) == 0 else { return nil }
        return Int64(
            clamping: UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize)).partialValue)
    }
}

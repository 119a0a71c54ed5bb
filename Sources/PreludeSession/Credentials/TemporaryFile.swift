internal import Foundation

/// A file that becomes a record as soon as it is complete. Only its owner can read it.
///
/// Its writer locks it with `flock(2)`. The system releases the lock of a process that ends, so a file without a lock is one
/// of a process that was killed.
struct TemporaryFile {
    /// Begins the names of these files. No record's file begins with a dot.
    private static let prefix = ".new-"
    /// How often another process may take the new file for an abandoned one.
    private static let maximumRounds = 8

    let path: String
    let descriptor: Int32

    /// Creates an empty file with mode 0600, and locks it.
    ///
    /// - Throws: `.storageUnavailable`.
    init(in directory: String) throws {
        for _ in 0..<Self.maximumRounds {
            // `mkstemp` creates a unique file with mode 0600, so two writers never share a file.
            var name = Array((directory + "/" + Self.prefix + "XXXXXX").utf8CString)
            let descriptor = mkstemp(&name)
            guard descriptor >= 0 else {
                throw PreludeSessionError.storageUnavailable(file: directory, verb: "create a file in", errno)
            }
            // A child process must not keep the lock.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            // Some file systems have no locks. There no file is ever removed as abandoned.
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            var status = stat()
            if isLocked, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                self.path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
                self.descriptor = descriptor
                return
            }
            // Between its creation and its lock, another process has removed it.
            unlink(name)
            close(descriptor)
        }
        throw PreludeSessionError.storageUnavailable(
            "the new files in \(directory) disappear again and again; try again")
    }

    /// Removes the files of processes that were killed before a file became a record. They may contain tokens.
    static func removeAbandoned(in directory: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] where name.hasPrefix(prefix)
        {
            let path = directory + "/" + name
            let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            // If the file becomes a record after it was opened, its old name does not exist any more.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }
}

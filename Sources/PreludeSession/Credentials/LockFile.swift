internal import Foundation

/// An open lock file. Closing it releases the lock, also when the process ends.
actor LockFile {
    private var descriptor: Int32

    /// - Throws: `PreludeSessionError.storageUnavailable` when the file cannot be opened.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PreludeSessionError.storageUnavailable(file: path, verb: "open", errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// - Returns: Whether this process has the lock. `false` while another has it.
    func tryLock() throws -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK else { throw Self.failure("lock", code) }
            return false
        }
        return true
    }

    /// Releases the lock. May be called twice.
    func release() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private static func failure(_ verb: String, _ code: Int32) -> PreludeSessionError {
        .storageUnavailable("cannot \(verb) the lock file: \(String(cString: strerror(code)))")
    }
}

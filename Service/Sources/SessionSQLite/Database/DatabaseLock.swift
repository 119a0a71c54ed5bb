internal import Foundation
internal import SessionDomain
internal import Synchronization

/// The lock of a database between processes: `flock(2)` on a file beside it.
///
/// Every process that has the database open holds the lock shared. A restore holds it alone. The system releases the lock
/// of a process that ends, also of a killed one. The file stays: a lock on a deleted file would exclude no other process.
///
/// It is a file of its own, because closing any descriptor of the database would release SQLite's own locks on it.
package final class DatabaseLock: Sendable {
    package enum Mode: Sendable {
        case shared, exclusive
    }

    private let descriptor: Mutex<Int32?>

    /// Attempts to get the lock shared, 10 milliseconds apart: `isAlone` of another process holds it alone for a moment.
    private static let attempts = 10

    /// Takes the lock, after a tenth of a second at most.
    ///
    /// - Parameter path: The path of the database.
    /// - Throws: `StoreError.inUse` when another process holds the lock in a mode that excludes this one.
    package init(_ path: String, _ mode: Mode) throws {
        let path = try DatabaseFile.resolved(path)
        let file = path + ".lock"
        let descriptor = try Self.open(file, beside: path)
        do {
            try Self.take(descriptor, mode)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = Mutex(descriptor)
    }

    private static func take(_ descriptor: Int32, _ mode: Mode) throws {
        var attempt = 1
        while flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK else {
                throw StoreError.unavailable("cannot lock the database: \(String(cString: strerror(code)))")
            }
            guard mode == .shared, attempt < attempts else { throw StoreError.inUse }
            attempt += 1
            usleep(10_000)
        }
    }

    /// Whether no other process has the database open now. The lock is shared afterwards, as before.
    ///
    /// - Throws: `StoreError.inUse` if another process has taken the lock alone meanwhile.
    func isAlone() throws -> Bool {
        try descriptor.withLock { descriptor in
            guard let descriptor else { return false }
            let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            // A failed attempt loses the shared lock, too (flock(2)).
            try Self.take(descriptor, .shared)
            return isAlone
        }
    }

    private static func open(_ file: String, beside path: String) throws -> Int32 {
        let created = Foundation.open(file, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if created >= 0 {
            // The service must be able to open what root has created. A file that existed keeps its owner: the service's
            // user may have put another file of root there.
            FileOwner(beside: path)?.take(created)
            return created
        }
        let reason = errno
        // Without waiting, if the name is that of a pipe.
        let existing = Foundation.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard existing >= 0 else {
            let code = errno == ENOENT ? reason : errno
            throw StoreError.unavailable("cannot open \(file): \(String(cString: strerror(code)))")
        }
        return existing
    }

    deinit { release() }

    /// Releases the lock. Releasing it twice is no error.
    package func release() {
        descriptor.withLock { descriptor in
            if let descriptor { close(descriptor) }
            descriptor = nil
        }
    }
}

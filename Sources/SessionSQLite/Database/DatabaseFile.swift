internal import Foundation
internal import SessionDomain

/// Checks and creates the file of a database before SQLite opens it.
enum DatabaseFile {
    static func exists(at path: String) -> Bool { access(path, F_OK) == 0 }

    /// Creates a missing file that only its owner can read. SQLite gives the `-wal` and `-shm` files the same mode.
    static func create(at path: String) throws {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw StoreError.unavailable("cannot create the database file \(path): \(String(cString: strerror(errno)))")
        }
    }
}

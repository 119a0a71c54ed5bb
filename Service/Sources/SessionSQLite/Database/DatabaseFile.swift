internal import Foundation
internal import SessionDomain

/// Checks and creates the file of a database before SQLite opens it.
package enum DatabaseFile {
    package static func exists(at path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether two paths name the same file. A symbolic link is another file than its target.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard lstat(path, &first) == 0, lstat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Creates a new file that only its owner can read.
    ///
    /// - Parameters:
    ///   - owner: Who gets the new file. `nil`: the user of the process.
    ///   - fill: Writes to the new file. It gets its owner afterwards.
    static func create(at path: String, owner: FileOwner? = nil, _ fill: () throws -> Void = {}) throws {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError.unavailable("cannot create the database file \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        try fill()
        owner?.take(descriptor)
    }

    /// The path without symbolic links. SQLite names the files beside a database after it.
    ///
    /// - Throws: `StoreError.unavailable` if the process is root's, and a link belongs to another user.
    package static func resolved(_ path: String, isRoot: Bool = geteuid() == 0) throws -> String {
        if isRoot { return try ResolvedPath(path).text }
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

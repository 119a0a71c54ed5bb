package import Foundation
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

/// Where an embedded database is stored.
package enum SQLiteLocation: Sendable, Equatable {
    case file(String)
    /// In memory. It is lost when the process ends.
    case memory
}

/// Resolves a path for a process of root, step by step.
///
/// The service's user can put a symbolic link in place of its database, or of a directory of its own. A command of root
/// would then change the file that the link names. So root follows only links that belong to root.
struct ResolvedPath {
    private static let maximumLinks = 32

    private(set) var text = "/"
    private var rest: [Substring]
    private var links = 0

    /// - Throws: `StoreError.unavailable` for a link of another user, and for a circle of links.
    init(_ path: String) throws {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        rest = Self.names(of: absolute)
        while let name = rest.popLast() {
            switch name {
            case ".": continue
            case "..": text = (text as NSString).deletingLastPathComponent
            default: try append((text as NSString).appendingPathComponent(String(name)))
            }
        }
    }

    private mutating func append(_ path: String) throws {
        var found = stat()
        guard lstat(path, &found) == 0, found.isSymbolicLink else {
            text = path
            return
        }
        guard found.st_uid == 0 else {
            throw StoreError.unavailable(
                "\(path) is a symbolic link that does not belong to root, so root does not follow it. Name the file "
                    + "itself, or run the command as the user of the service")
        }
        links += 1
        guard links <= Self.maximumLinks else { throw StoreError.unavailable("\(path) is a circle of links") }
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: path)
        if target.hasPrefix("/") { text = "/" }
        rest += Self.names(of: target)
    }

    /// The names of a path, the first one last.
    private static func names(of path: String) -> [Substring] { path.split(separator: "/").reversed() }
}

/// The user who gets the files that a command of root creates, so that the service can open them.
///
/// The service's user can replace every name in its directory at any time, also by a link to a file of root. So a file
/// gets its owner through the descriptor that created it, never through its path.
package struct FileOwner: Sendable, Equatable {
    let user: UInt32
    let group: UInt32

    /// Takes the owner of a file, or of its directory if there is no file. Only a symbolic link of root is followed.
    ///
    /// - Returns: `nil` for other users than root, who cannot give files away.
    package init?(beside path: String, isRoot: Bool = geteuid() == 0) {
        guard isRoot else { return nil }
        var owner = stat()
        if lstat(path, &owner) == 0 {
            if owner.isSymbolicLink, owner.st_uid == 0 { stat(path, &owner) }
        } else {
            let directory = (path as NSString).deletingLastPathComponent
            guard stat(directory.isEmpty ? "." : directory, &owner) == 0 else { return nil }
        }
        (user, group) = (owner.st_uid, owner.st_gid)
    }

    /// Gives an open file to this owner. If it fails, root keeps the file, and the error of the service names it.
    func take(_ descriptor: Int32) { _ = fchown(descriptor, user, group) }
}

extension stat {
    var isSymbolicLink: Bool { st_mode & S_IFMT == S_IFLNK }
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// Files that are on the disk, or not at all, when a call returns.
package enum DurableFile {
    /// Writes a new file that only its owner can read, and syncs it.
    ///
    /// - Parameter owner: Who gets the file. `nil`: the user of the process.
    package static func create(_ path: String, _ content: Data, owner: FileOwner? = nil) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try removing(path) {
            try write(content, to: handle, path)
            try sync(descriptor, path)
            owner?.take(descriptor)
            try handle.close()
        }
    }

    /// Copies a file to a new one that only its owner can read, and syncs it. The mode of the original has no effect.
    ///
    /// - Parameter owner: Who gets the new file. `nil`: the user of the process.
    package static func copy(_ path: String, to other: String, owner: FileOwner? = nil) throws {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw failure("open", path) }
        let reading = FileHandle(fileDescriptor: source, closeOnDealloc: true)
        let descriptor = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", other) }
        let writing = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try removing(other) {
            while let block = try reading.read(upToCount: 1 << 20), !block.isEmpty {
                try write(block, to: writing, other)
            }
            try reading.close()
            try sync(descriptor, other)
            owner?.take(descriptor)
            try writing.close()
        }
    }

    /// Writes to an open file. Its error names the path and the reason of the system.
    package static func write(_ content: Data, to handle: FileHandle, _ path: String) throws {
        do {
            try handle.write(contentsOf: content)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let reason = cause.map { String(cString: strerror(Int32(truncatingIfNeeded: $0.code))) }
            throw StoreError.unavailable("cannot write \(path): \(reason ?? "\(type(of: error))")")
        }
    }

    /// Removes a new file if it cannot be completed, so that it takes no space of a full disk.
    private static func removing(_ path: String, ifFails work: () throws -> Void) throws {
        do { try work() } catch {
            unlink(path)
            throw error
        }
    }

    /// Writes the content of a file, or the entries of a directory, to the disk.
    package static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        try sync(descriptor, path)
    }

    private static func sync(_ descriptor: Int32, _ path: String) throws {
        #if canImport(Darwin)
            // `fsync` does not flush the cache of the drive there.
            let status = fcntl(descriptor, F_FULLFSYNC)
        #else
            let status = fsync(descriptor)
        #endif
        guard status == 0 else { throw failure("sync", path) }
    }

    /// Renames a file or a directory, replacing a file, and syncs the directory.
    package static func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw failure("rename", path) }
        let directory = (other as NSString).deletingLastPathComponent
        try sync(directory.isEmpty ? "." : directory)
    }

    /// Gives a file a second name. A symbolic link gets the name itself, not the file that it names.
    package static func link(_ path: String, as other: String) throws {
        guard linkat(AT_FDCWD, path, AT_FDCWD, other, 0) == 0 else { throw failure("link", path) }
    }

    /// Removes a file. A missing one is no error: another process may have removed it.
    package static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        .unavailable("cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}

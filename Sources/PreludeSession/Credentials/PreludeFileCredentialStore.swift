public import Foundation

/// Keeps credentials in files that only their owner can read: directory 0700, files 0600, atomic replacement.
public struct PreludeFileCredentialStore: PreludeCredentialStore {
    /// `nil` if the app has chosen none and the user has no home directory.
    private let chosenDirectory: String?
    private let environment: SDKEnvironment
    /// Whether the app has chosen the directory, so that other processes may use it.
    private let isShared: Bool
    /// Set for a directory that the app has chosen: it may be in the container of an app group.
    var activity: (any ExpiringActivity)?

    /// Creates a store in its own directory.
    ///
    /// - Parameter directory: Created by the first write. `nil` is `prelude-session/APP` in `$XDG_DATA_HOME` or
    ///   `$HOME/.local/share`; on Apple systems in Application Support, excluded from backups and readable after the first
    ///   unlock since the device's start. On tvOS it is in Caches, where the system may delete it: use the Keychain there.
    ///   `APP` is the app's bundle identifier, or the name of its executable. Pass a directory to share a session between
    ///   executables.
    public init(directory: String? = nil) {
        self.init(directory: directory, environment: .live)
    }

    /// - Parameter environment: Its `sleep` waits for locks.
    @_spi(Service) public init(directory: String?, environment: SDKEnvironment) {
        chosenDirectory = directory ?? DataDirectory.standard
        self.environment = environment
        isShared = directory != nil
        activity = directory == nil ? nil : SystemActivity.current
    }

    private var directory: String {
        get throws {
            guard let chosenDirectory else {
                throw PreludeSessionError.storageUnavailable(
                    "the user has no home directory for credentials; set HOME or XDG_DATA_HOME to an absolute path")
            }
            return chosenDirectory
        }
    }

    public func read(_ name: String) throws -> Data? {
        TemporaryFile.removeAbandoned(in: try directory)
        // A pipe in place of the file must not stop the process.
        let descriptor = open(try path(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            // Only ENOENT means that there is no record. A locked or failing disk returns another error.
            if errno == ENOENT { return nil }
            throw failure("open", name, errno)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try requirePrivate(descriptor, path(name))
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            throw PreludeSessionError.storageUnavailable("cannot read the file \(try path(name))")
        }
    }

    /// Rejects a file that another user may have written or can read.
    private func requirePrivate(_ descriptor: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PreludeSessionError.storageUnavailable(file: path, verb: "open", errno)
        }
        let problem: String? =
            if status.st_mode & S_IFMT != S_IFREG {
                "it is not a file; delete it"
            } else if status.st_uid != geteuid() {
                "it belongs to another user; delete it"
            } else if status.st_mode & (S_IRWXG | S_IRWXO) != 0 {
                "other users have access to it; set its mode to 600, or delete it"
            } else {
                nil
            }
        if let problem {
            throw PreludeSessionError.storageUnavailable("cannot use \(path): \(problem)")
        }
    }

    public func write(_ data: Data, to name: String) throws {
        try put(data, at: name) { temporary, target in
            if rename(temporary, target) == 0 { return .moved }
            // An empty directory in place of the file is removed. Any other one may have content of the user.
            let code = errno
            guard code == EISDIR, rmdir(target) == 0, rename(temporary, target) == 0 else {
                throw failure("replace", name, code)
            }
            return .moved
        }
    }

    /// Stores a record if there is none with this name. A hard link to an existing name fails.
    public func create(_ data: Data, at name: String) async throws -> Bool {
        let outcome = try put(data, at: name) { temporary, target in
            if link(temporary, target) == 0 { return .linked }
            switch errno {
            case EEXIST: return .exists
            case EPERM, ENOTSUP, ENOSYS: return .unsupported
            default: throw failure("create", name, errno)
            }
        }
        guard outcome == .unsupported else { return outcome == .linked }
        return try await withLock(name + ".create") {
            guard try read(name) == nil else { return false }
            try write(data, to: name)
            return true
        }
    }

    /// What happened to a temporary file.
    private enum Outcome {
        case moved, linked, exists
        /// The file system has no hard links.
        case unsupported
    }

    /// Writes a temporary file and makes it the record.
    @discardableResult
    private func put(
        _ data: Data, at name: String, move: (_ temporary: String, _ target: String) throws -> Outcome
    ) throws -> Outcome {
        let directory = try directory
        try FileLock.makeDirectory(directory)
        TemporaryFile.removeAbandoned(in: directory)
        let temporary = try TemporaryFile(in: directory)
        let descriptor = temporary.descriptor
        var outcome: Outcome?
        defer {
            // The name first: without the lock it would look abandoned.
            if outcome != .moved { unlink(temporary.path) }
            close(descriptor)
        }
        try data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count, let base = bytes.baseAddress {
                let written = Foundation.write(descriptor, base + offset, bytes.count - offset)
                guard written > 0 else { throw failure("write", name, errno) }
                offset += written
            }
        }
        guard fsync(descriptor) == 0 else { throw failure("sync", name, errno) }
        let result = try move(temporary.path, try path(name))
        outcome = result
        if result == .moved || result == .linked { try syncDirectory() }
        return result
    }

    public func delete(_ name: String) throws {
        let path = try path(name)
        TemporaryFile.removeAbandoned(in: try directory)
        if unlink(path) == 0 || errno == ENOENT { return }
        let code = errno
        // A directory in place of the file. EPERM is Apple's error for it.
        guard [EISDIR, EPERM].contains(code), rmdir(path) == 0 else { throw failure("delete", name, code) }
    }

    public func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await FileLock(directory: try directory, environment: environment, activity: activity).with(name, work)
    }

    private func syncDirectory() throws {
        let directory = try directory
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw PreludeSessionError.storageUnavailable(file: directory, verb: "sync", errno)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw PreludeSessionError.storageUnavailable(file: directory, verb: "sync", errno)
        }
    }

    private func path(_ name: String) throws -> String { try directory + "/" + FileName.record(name) }

    private func failure(_ verb: String, _ name: String, _ code: Int32) -> PreludeSessionError {
        .storageUnavailable(file: (try? path(name)) ?? name, verb: verb, code)
    }
}

extension PreludeFileCredentialStore: SharedCredentialStore {
    func changeSignal(of endpoint: String) -> (any ChangeSignal)? {
        guard isShared, let chosenDirectory else { return nil }
        return SystemSignal.named(store: chosenDirectory, endpoint: endpoint)
    }
}

extension PreludeSessionError {
    /// A file of a store cannot be used now. Names the file, so that its user can repair it.
    ///
    /// - Parameter code: The system's `errno`.
    static func storageUnavailable(file: String, verb: String, _ code: Int32) -> PreludeSessionError {
        .storageUnavailable("cannot \(verb) \(file): \(String(cString: strerror(code)))")
    }
}

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

internal import Dispatch
public import Foundation

/// Keeps credentials in files that only their owner can read: directory 0700, files 0600, replaced atomically.
public struct FileCredentialStore: CredentialStore {
    private let directory: String

    /// - Parameter directory: Made at the first write. `nil` is `prelude-session` in `$XDG_DATA_HOME`, else in
    ///   `~/.local/share`; on Apple systems in Application Support.
    public init(directory: String? = nil) {
        self.directory = directory ?? Self.standardDirectory
    }

    private static var standardDirectory: String {
        if let base = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], base.hasPrefix("/") {
            return base + "/prelude-session"
        }
        #if os(Linux)
            return NSHomeDirectory() + "/.local/share/prelude-session"
        #else
            return NSHomeDirectory() + "/Library/Application Support/prelude-session"
        #endif
    }

    public func read(_ name: String) throws -> Data? {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Only "there is none" means that there is none; a locked or unreadable disk says something else.
            if errno == ENOENT { return nil }
            throw Self.failure("open", errno)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            throw PreludeSessionError.storageUnavailable("the credential file cannot be read")
        }
    }

    public func write(_ data: Data, to name: String) throws {
        try makeDirectory()
        let target = path(name)
        // A name of its own, 0600, so that two writers never share a file that is half written.
        var temporary = Array((target + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&temporary)
        guard descriptor >= 0 else { throw Self.failure("create", errno) }
        var isInPlace = false
        defer {
            close(descriptor)
            if !isInPlace { unlink(temporary) }
        }
        try data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count, let base = bytes.baseAddress {
                let written = Foundation.write(descriptor, base + offset, bytes.count - offset)
                guard written > 0 else { throw Self.failure("write", errno) }
                offset += written
            }
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("sync", errno) }
        guard rename(temporary, target) == 0 else { throw Self.failure("replace", errno) }
        isInPlace = true
        try syncDirectory()
    }

    public func delete(_ name: String) throws {
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw Self.failure("delete", errno) }
    }

    /// Waits its turn in this process first, so that at most one thread a lock waits for another process.
    public func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try makeDirectory()
        let file = path(name) + ".lock"
        return try await AsyncLock.shared.with(file) {
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure("lock", errno) }
            // Closing gives the lock back, also when the process dies.
            defer { close(descriptor) }
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                DispatchQueue.global().async {
                    var status = flock(descriptor, LOCK_EX)
                    while status != 0 && errno == EINTR { status = flock(descriptor, LOCK_EX) }
                    let code = errno
                    continuation.resume(with: status == 0 ? .success(()) : .failure(Self.failure("lock", code)))
                }
            }
            return try await work()
        }
    }

    private func makeDirectory() throws {
        guard !FileManager.default.fileExists(atPath: directory) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PreludeSessionError.storageUnavailable("the directory for credentials cannot be made")
        }
    }

    private func syncDirectory() throws {
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("sync", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("sync", errno) }
    }

    private func path(_ name: String) -> String {
        let safe = name.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || ".-_".unicodeScalars.contains(scalar))
                ? Character(scalar) : "_"
        }
        return directory + "/" + String(safe)
    }

    private static func failure(_ verb: String, _ code: Int32) -> PreludeSessionError {
        .storageUnavailable("cannot \(verb) the credential file: \(String(cString: strerror(code)))")
    }
}

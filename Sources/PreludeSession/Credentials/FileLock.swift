internal import Foundation

/// Locks between processes: files in a shared directory, locked with `flock(2)`.
///
/// The system releases the lock of a process that ends, but not of a process that is stopped. So a wait has a limit, after
/// which it throws. It must not continue without the lock: the stopped process may later send a refresh token that another
/// process has used meanwhile. The service would treat that as theft and revoke the session.
struct FileLock: Sendable {
    let directory: String
    var environment = SDKEnvironment.live

    /// The timeout of the client that waits for the lock, in seconds. It is task-local, because a store of the app may be
    /// between client and lock.
    @TaskLocal static var clientTimeout: TimeInterval = 10

    /// Seconds after which a wait ends: longer than a refresh and its repetition. At least 30, because the lock's holder may
    /// be a client with the default timeout.
    static var waitLimit: TimeInterval { 3 * max(10, clientTimeout) }

    /// Runs the work under a lock. In each process at most one waiter polls the file.
    ///
    /// - Throws: `PreludeSessionError.timeout` when another process holds the lock for longer than `waitLimit`.
    func with<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try Self.makeDirectory(directory)
        let file = directory + "/" + Self.fileName(for: name) + ".lock"
        let (environment, seconds) = (environment, Self.waitLimit)
        let waitLimit: @Sendable () async throws -> Void = { try await environment.sleep(seconds) }
        return try await AsyncLock.shared.with(file, waitLimit: waitLimit) {
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure("open", errno) }
            // Closing the file releases the lock, also when the process ends.
            defer { close(descriptor) }
            try await lock(descriptor)
            return try await work()
        }
    }

    /// Polls the lock, because a blocking `flock` cannot be interrupted.
    private func lock(_ descriptor: Int32) async throws {
        var (waited, pause) = (0.0, 0.001)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK else { throw Self.failure("lock", code) }
            guard waited < Self.waitLimit else { throw PreludeSessionError.timeout }
            waited += pause
            // In a task of its own: a cancelled caller must not stop the work under the lock.
            let (environment, seconds) = (environment, pause)
            await Task { try? await environment.sleep(seconds) }.value
            pause = min(pause * 1.5, 0.05)
        }
    }

    /// Creates a directory with mode 0700, unless it exists.
    static func makeDirectory(_ directory: String) throws {
        guard !FileManager.default.fileExists(atPath: directory) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PreludeSessionError.storageUnavailable(
                "the directory for credentials cannot be created; check its parent's permissions")
        }
    }

    /// A valid file name for a record or a lock.
    static func fileName(for name: String) -> String {
        let characters = name.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || ".-_+".unicodeScalars.contains(scalar))
                ? Character(scalar) : "_"
        }
        return String(characters)
    }

    private static func failure(_ verb: String, _ code: Int32) -> PreludeSessionError {
        .storageUnavailable("cannot \(verb) the lock file: \(String(cString: strerror(code)))")
    }
}

internal import Foundation

/// Locks between processes: a file of a directory that all of them see, locked with `flock(2)`.
///
/// A process that dies gives its lock back; one that is stopped keeps it. So a wait has an end, and that is an error, not
/// a licence to go on without the lock: the stopped process may wake up with a refresh token that others have spent and
/// replaced meanwhile, which the service takes for theft and ends the session. Waiting for another day signs nobody out.
struct FileLock: Sendable {
    let directory: String
    var environment = SDKEnvironment.live

    /// Seconds that an answer may take, by the client that waits for the lock. Not an argument, for a lock may be asked for
    /// through a store of the app's own, which knows nothing of it.
    @TaskLocal static var clientTimeout: TimeInterval = 10

    /// Seconds after which a holder counts as stopped: longer than a refresh and its one repeat. Clients with a shorter
    /// timeout wait as long as those with the standard one, who may be the holders.
    static var patience: TimeInterval { 3 * max(10, clientTimeout) }

    /// Waits its turn in this process first, so that at most one waiter a process asks for the file.
    ///
    /// - Throws: `PreludeSessionError.timeout` when the lock is held for longer than a wait lasts.
    func with<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try Self.makeDirectory(directory)
        let file = directory + "/" + Self.safe(name) + ".lock"
        let (environment, patience) = (environment, Self.patience)
        let wait: @Sendable () async throws -> Void = { try await environment.sleep(patience) }
        return try await AsyncLock.shared.with(file, patience: wait) {
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure("open", errno) }
            // Closing gives the lock back, also when the process dies.
            defer { close(descriptor) }
            try await lock(descriptor)
            return try await work()
        }
    }

    /// Asks again and again, for nothing interrupts a `flock` that waits.
    private func lock(_ descriptor: Int32) async throws {
        var (waited, pause) = (0.0, 0.001)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK else { throw Self.failure("lock", code) }
            guard waited < Self.patience else { throw PreludeSessionError.timeout }
            waited += pause
            // In a task of its own: what is done under the lock is not for the caller to give up.
            let (environment, seconds) = (environment, pause)
            await Task { try? await environment.sleep(seconds) }.value
            pause = min(pause * 1.5, 0.05)
        }
    }

    /// Makes a directory that only its owner can enter, unless it is there.
    static func makeDirectory(_ directory: String) throws {
        guard !FileManager.default.fileExists(atPath: directory) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PreludeSessionError.storageUnavailable("the directory for credentials cannot be made")
        }
    }

    /// A name as a file can have it.
    static func safe(_ name: String) -> String {
        let safe = name.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || ".-_".unicodeScalars.contains(scalar))
                ? Character(scalar) : "_"
        }
        return String(safe)
    }

    private static func failure(_ verb: String, _ code: Int32) -> PreludeSessionError {
        .storageUnavailable("cannot \(verb) the lock file: \(String(cString: strerror(code)))")
    }
}

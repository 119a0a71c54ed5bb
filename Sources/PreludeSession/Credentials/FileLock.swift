internal import Dispatch
internal import Foundation

/// Locks between processes: a file of a directory that all of them see, locked with `flock(2)`.
struct FileLock: Sendable {
    let directory: String

    /// Waits its turn in this process first, so that at most one thread a lock waits for another process.
    func with<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try Self.makeDirectory(directory)
        let file = directory + "/" + Self.safe(name) + ".lock"
        return try await AsyncLock.shared.with(file) {
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure("open", errno) }
            // Closing gives the lock back, also when the process dies.
            defer { close(descriptor) }
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // A serial queue has a thread of its own; global ones share theirs with Swift's tasks on Linux.
                DispatchQueue(label: "prelude-session.lock").async {
                    var status = flock(descriptor, LOCK_EX)
                    while status != 0 && errno == EINTR { status = flock(descriptor, LOCK_EX) }
                    let code = errno
                    continuation.resume(with: status == 0 ? .success(()) : .failure(Self.failure("lock", code)))
                }
            }
            return try await work()
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

internal import Foundation

/// Locks between processes: files in a shared directory, locked with `flock(2)`.
///
/// The system releases the lock of a process that ends, but not of a process that is stopped. So a wait has a limit, after
/// which it throws. It must not continue without the lock: the stopped process may later send a refresh token that another
/// process has used meanwhile. The service would treat that as theft and revoke the session.
///
/// iOS, tvOS and watchOS terminate a process that they suspend while it holds a lock in the container of an app group
/// (`0xDEAD10CC`), because other processes may wait for it. Such a lock is held only inside an expiring activity. When the
/// activity expires, a lock that is held across a network call is released: the work continues without it after the process
/// was suspended. That is harmless, because every refresh of one token has the same stored attempt id, and the result is
/// compared and stored under another lock. That lock, and all others, are held for local work of milliseconds. The work is
/// finished first, because another process must not write in between. A lock in the app's own container needs no activity:
/// no other process waits for it, and the system does not terminate for it.
struct FileLock: Sendable {
    let directory: String
    var environment = SDKEnvironment.live
    /// Set for a directory that processes of several apps or extensions share, on systems that suspend processes.
    var activity: (any ExpiringActivity)?

    /// The timeout of the client that waits for the lock, in seconds. It is task-local, because a store of the app may be
    /// between client and lock.
    @TaskLocal static var clientTimeout: TimeInterval = 10

    /// Whether a lock is released when its activity expires, although the work goes on. Task-local for the same reason.
    @TaskLocal static var isReleasedAtExpiry = true

    /// Seconds after which a wait ends: longer than a refresh and its repetition. At least 30, because the lock's holder may
    /// be a client with the default timeout.
    static var waitLimit: TimeInterval { 3 * max(10, clientTimeout) }

    /// Runs the work under a lock. In each process at most one waiter polls the file.
    ///
    /// - Throws: `PreludeSessionError.timeout` when another process holds the lock for longer than `waitLimit`;
    ///   `.storageUnavailable` when the file cannot be locked, or the system is about to suspend the process.
    func with<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try Self.makeDirectory(directory)
        let file = directory + "/" + FileName.record(name) + ".lock"
        let (environment, seconds) = (environment, Self.waitLimit)
        let waitLimit: @Sendable () async throws -> Void = { try await environment.sleep(seconds) }
        return try await AsyncLock.shared.with(file, waitLimit: waitLimit) {
            let turn: ActivityTurn? = if let activity { try await ActivityTurn.begin(activity) } else { nil }
            // After the lock is released.
            defer { turn?.end() }
            let lockFile = try LockFile(file)
            do {
                try await lock(lockFile, turn)
                if Self.isReleasedAtExpiry { await turn?.onExpiry { await lockFile.release() } }
                let answer = try await work()
                await lockFile.release()
                return answer
            } catch {
                await lockFile.release()
                throw error
            }
        }
    }

    /// Polls the lock, because a blocking `flock` cannot be interrupted.
    private func lock(_ lockFile: LockFile, _ turn: ActivityTurn?) async throws {
        var (waited, pause) = (0.0, 0.001)
        while try await !lockFile.tryLock() {
            if await turn?.isExpired ?? false { throw ActivityTurn.suspended }
            guard waited < Self.waitLimit else { throw PreludeSessionError.timeout }
            waited += pause
            // In a task of its own: a cancelled caller must not stop the work under the lock.
            let (environment, seconds) = (environment, pause)
            await Task { try? await environment.sleep(seconds) }.value
            pause = min(pause * 1.5, 0.05)
        }
        if await turn?.isExpired ?? false { throw ActivityTurn.suspended }
    }

    /// Creates a directory with mode 0700, unless it exists. Its files are protected as the system can.
    static func makeDirectory(
        _ directory: String, protection: any FileProtection = SystemFileProtection()
    ) throws {
        defer { protection.complete(directory) }
        guard !FileManager.default.fileExists(atPath: directory) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PreludeSessionError.storageUnavailable(
                "cannot create the directory \(directory); check the permissions of its parent")
        }
    }
}

internal import Dispatch
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
            let running: RunningActivity? = if let activity { try await RunningActivity.begin(activity) } else { nil }
            // After the lock is released.
            defer { running?.end() }
            let lockFile = try LockFile(file)
            do {
                try await lock(lockFile, running)
                if Self.isReleasedAtExpiry { await running?.onExpiry { await lockFile.release() } }
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
    private func lock(_ lockFile: LockFile, _ running: RunningActivity?) async throws {
        var (waited, pause) = (0.0, 0.001)
        while try await !lockFile.tryLock() {
            if await running?.isExpired ?? false { throw RunningActivity.suspended }
            guard waited < Self.waitLimit else { throw PreludeSessionError.timeout }
            waited += pause
            // In a task of its own: a cancelled caller must not stop the work under the lock.
            let (environment, seconds) = (environment, pause)
            await Task { try? await environment.sleep(seconds) }.value
            pause = min(pause * 1.5, 0.05)
        }
        if await running?.isExpired ?? false { throw RunningActivity.suspended }
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

/// An open lock file. Closing it releases the lock, also when the process ends.
private actor LockFile {
    private var descriptor: Int32

    /// - Throws: `PreludeSessionError.storageUnavailable` when the file cannot be opened.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PreludeSessionError.storageUnavailable(file: path, verb: "open", errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// - Returns: Whether this process has the lock. `false` while another has it.
    func tryLock() throws -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK else { throw Self.failure("lock", code) }
            return false
        }
        return true
    }

    /// Releases the lock. May be called twice.
    func release() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private static func failure(_ verb: String, _ code: Int32) -> PreludeSessionError {
        .storageUnavailable("cannot \(verb) the lock file: \(String(cString: strerror(code)))")
    }
}

/// Named locks within a process. Waiters get a lock in the order in which they asked; none blocks a thread.
actor AsyncLock {
    static let shared = AsyncLock()

    private struct Waiter {
        let number: Int
        /// Resumed with `true` when the waiter gets the lock.
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var held: [String: [Waiter]] = [:]
    private var nextNumber = 0

    /// - Parameter waitLimit: Returns when the wait must end. It is cancelled when the caller gets the lock first.
    /// - Returns: Whether the caller has the lock.
    func acquire(_ name: String, waitLimit: @escaping @Sendable () async throws -> Void) async -> Bool {
        guard held[name] != nil else {
            held[name] = []
            return true
        }
        let number = nextNumber
        nextNumber += 1
        let timer = Task {
            do { try await waitLimit() } catch { return }
            giveUp(name, number)
        }
        let isMine = await withCheckedContinuation { held[name]?.append(Waiter(number: number, continuation: $0)) }
        timer.cancel()
        return isMine
    }

    func release(_ name: String) {
        guard var waiting = held[name] else { return }
        guard !waiting.isEmpty else {
            held[name] = nil
            return
        }
        let next = waiting.removeFirst()
        held[name] = waiting
        next.continuation.resume(returning: true)
    }

    private func giveUp(_ name: String, _ number: Int) {
        guard let index = held[name]?.firstIndex(where: { $0.number == number }) else { return }
        held[name]?.remove(at: index).continuation.resume(returning: false)
    }

    /// Runs the work under a lock, and releases the lock when the work returns or throws.
    ///
    /// - Throws: `PreludeSessionError.timeout` when `waitLimit` returns first, and the errors of the work.
    nonisolated func with<Answer: Sendable>(
        _ name: String,
        waitLimit: @escaping @Sendable () async throws -> Void = { try await SDKEnvironment.untilCancelled(0) },
        _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        guard await acquire(name, waitLimit: waitLimit) else { throw PreludeSessionError.timeout }
        do {
            let answer = try await work()
            await release(name)
            return answer
        } catch {
            await release(name)
            throw error
        }
    }
}

/// One expiring activity, from its begin until `end()`.
private actor RunningActivity {
    /// Signalled at the end. Until then it blocks the threads of the activity, never those of Swift's tasks.
    private nonisolated let ended = DispatchSemaphore(value: 0)
    private(set) var isExpired = false
    private var action: (@Sendable () async -> Void)?

    private init() {}

    /// Waits until the system has begun the activity.
    ///
    /// - Throws: `.storageUnavailable` when the system is about to suspend the process.
    static func begin(_ activity: any ExpiringActivity) async throws -> RunningActivity {
        let running = RunningActivity()
        let ended = running.ended
        let (calls, source) = AsyncStream.makeStream(of: Bool.self)
        activity.perform("prelude-session: shared lock") { isExpired in
            source.yield(isExpired)
            ended.wait()
            // For the other call.
            ended.signal()
            source.finish()
        }
        // In a task of its own: a cancelled caller still has to wait for the system.
        let hasBegun = await Task {
            for await isExpired in calls { return !isExpired }
            return false
        }.value
        guard hasBegun else {
            running.end()
            throw suspended
        }
        Task { for await isExpired in calls where isExpired { await running.expire() } }
        return running
    }

    /// Runs the action when the time is used up, and then ends the activity. At once if it is used up already.
    func onExpiry(_ action: @escaping @Sendable () async -> Void) async {
        self.action = action
        if isExpired { await expire() }
    }

    /// The system may suspend the process from now on. May be called twice.
    nonisolated func end() { ended.signal() }

    /// Without an action the activity goes on until `end()`.
    private func expire() async {
        isExpired = true
        guard let action else { return }
        await action()
        end()
    }

    static let suspended = PreludeSessionError.storageUnavailable(
        "the system is about to suspend the app; try again when the app is active")
}

/// The system's permission to run in the background for a while: the SDK's view of `ProcessInfo.performExpiringActivity`.
///
/// It is not behind `#if`, so that what the SDK does at the expiry is tested on every system.
protocol ExpiringActivity: Sendable {
    /// Calls the block with `false` on a thread of its own. The process may run until the block returns.
    ///
    /// Calls it again with `true`, on another thread, when the time is used up. Without any time the only call is with
    /// `true`.
    func perform(_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void)
}

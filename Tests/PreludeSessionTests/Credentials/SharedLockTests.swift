import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("A lock in an app group", .timeLimit(.minutes(5)))
struct SharedLockTests {
    private let activity = PlayedActivity()

    /// - Parameter sleep: What happens while the lock waits for another process.
    private func withLock(
        sleep: @escaping @Sendable (TimeInterval) async -> Void = { _ in },
        _ work: (FileLock, String) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "prelude-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileLock.makeDirectory(directory)
        let environment = SDKEnvironment(
            now: { Date(timeIntervalSince1970: 0) }, randomBytes: SDKEnvironment.live.randomBytes,
            sleep: { await sleep($0) })
        try await work(
            FileLock(directory: directory, environment: environment, activity: activity), directory + "/a.lock")
    }

    /// Whether another process could take the lock: `flock` distinguishes descriptors, not processes.
    private func isFree(_ file: String) throws -> Bool {
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    @Test("The lock is held only inside an expiring activity, also when the work fails")
    func inside() async throws {
        try await withLock { lock, file in
            try await lock.with("a") {
                let isFree = try isFree(file)
                #expect(!isFree && activity.running == 1)
            }
            await activity.allEnded(1)
            #expect(try isFree(file))
            #expect(try await failure { try await lock.with("a") { throw PreludeSessionError.timeout } } == "timeout")
            await activity.allEnded(2)
            #expect(try isFree(file))
        }
    }

    // Proves: E3
    @Test("At the expiry the lock is released before the activity ends, and the work goes on")
    func expiry() async throws {
        try await withLock { lock, file in
            let answer = try await lock.with("a") {
                activity.expire()
                await activity.allEnded(1)
                let isFree = try isFree(file)
                #expect(isFree, "the process may be suspended now")
                return 42
            }
            #expect(answer == 42)
            // And the next caller begins a new activity.
            #expect(try await lock.with("a") { activity.running } == 1)
        }
    }

    // Proves: R24
    @Test("Work that must not be interrupted keeps the lock and the activity until it is done")
    func shortWork() async throws {
        try await withLock { lock, file in
            try await FileLock.$isReleasedAtExpiry.withValue(false) {
                try await lock.with("a") {
                    activity.expire()
                    for _ in 0..<1000 { await Task.yield() }
                    let isFree = try isFree(file)
                    #expect(!isFree && activity.running == 1)
                }
            }
            await activity.allEnded(1)
            #expect(try isFree(file))
        }
    }

    @Test("Without time the lock is not taken, and the work does not run")
    func refused() async throws {
        try await withLock { lock, file in
            activity.refuse()
            let isInside = Gate()
            let result = try await failure { try await lock.with("a") { await isInside.open() } }
            #expect(result == "storageUnavailable")
            #expect(await !isInside.isOpen)
            #expect(activity.running == 0)
            #expect(try isFree(file))
        }
    }

    @Test("An expiry during the wait for another process ends the wait, and the work does not run")
    func expiryDuringWait() async throws {
        let activity = activity
        let sleep: @Sendable (TimeInterval) async -> Void = { seconds in
            // The wait for the lock within this process.
            guard seconds < 1 else {
                try? await SDKEnvironment.untilCancelled(0)
                return
            }
            activity.expire()
            for _ in 0..<100 { await Task.yield() }
        }
        try await withLock(sleep: sleep) { lock, file in
            let holder = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(holder >= 0 && flock(holder, LOCK_EX | LOCK_NB) == 0)
            defer { close(holder) }
            let isInside = Gate()
            let result = try await failure { try await lock.with("a") { await isInside.open() } }
            #expect(result == "storageUnavailable")
            #expect(await !isInside.isOpen)
            await activity.allEnded(1)
        }
    }

    @Test("A cancelled caller gets the lock all the same")
    func cancelled() async throws {
        try await withLock { lock, _ in
            let answer = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try? await lock.with("a") { 42 }
            }.value
            #expect(answer == 42)
        }
    }

    // Proves: R24
    @Test("Only the lock that is held across the network is released early", arguments: RecordLock.allCases)
    func policy(lock: RecordLock) async throws {
        let isReleasedAtExpiry = try await RecordStore(store: PreludeInMemoryCredentialStore(), endpoint: "a")
            .withLock(lock) { FileLock.isReleasedAtExpiry }
        #expect(isReleasedAtExpiry == (lock == .refresh))
    }

    @Test("A lock in the app's own directory needs no activity")
    func ownDirectory() async throws {
        try await withLock { lock, file in
            var own = lock
            own.activity = nil
            let isFreeInside = try await own.with("a") { try isFree(file) }
            #expect(!isFreeInside && activity.begun == 0)
        }
    }

    @Test("A file store with a directory of the app takes its locks in the same way")
    func fileStore() async throws {
        try await withLock { lock, _ in
            var store = PreludeFileCredentialStore(directory: lock.directory)
            store.activity = activity
            try await store.withLock("a") {}
            #expect(activity.begun == 1)
        }
    }
}

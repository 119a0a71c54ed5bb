internal import Foundation
internal import SessionDomain
internal import Synchronization

/// Runs long work on a fixed number of threads ("slots"), in a bounded queue that apps share fairly.
///
/// A caller gets a place first, and then runs its work. A free slot serves the apps in turn, so an app with many callers
/// delays its own callers only.
///
/// A slot is a thread of its own, which ends when no work waits. Its priority is low, so that hashes use the processor
/// time that refreshes and health checks leave. The threads of dispatch queues would keep the low priority for other work.
final class HashingQueue: Sendable {
    private struct State {
        var places: SharedSlots
        var idle: Int
        var waiting = FairQueue<Job>()
    }

    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let fail: @Sendable () -> Void
    }

    private let state: Mutex<State>
    private let slots: Int
    private let observer: any ServiceObserver
    private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// - Parameters:
    ///   - waitingLimit: Callers that may have a place without a slot.
    ///   - startThread: Runs work on a new thread, or returns `false`.
    init(
        slots: Int, waitingLimit: Int, observer: any ServiceObserver = NoObserver(),
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = HashingThread.start
    ) {
        (self.slots, self.observer, self.startThread) = (slots, observer, startThread)
        state = Mutex(State(places: SharedSlots(total: slots + waitingLimit), idle: slots))
    }

    /// Takes a place for a caller of an app. Each call without an error must be followed by `leave`.
    ///
    /// - Throws: `Refusal.overloaded` at once if no place is free for this app.
    func enter(_ app: AppID) throws(Refusal) {
        guard state.withLock({ $0.places.take(app) }) else {
            observer.observe(.passwordHashRefused)
            throw .overloaded(retryAfter: 2)
        }
    }

    func leave(_ app: AppID) { state.withLock { $0.places.release(app) } }

    /// Runs the work of a caller that has a place when a slot is free, and returns its result.
    ///
    /// - Throws: What the work throws; `Argon2Error.noThread` if no slot can work.
    func perform<Answer: Sendable>(
        _ app: AppID, _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        let (observer, queuedAt) = (observer, observer.instant())
        return try await observer.trace(.passwordHash) { span in
            try await withCheckedThrowingContinuation { continuation in
                let run = { @Sendable in
                    let (waited, startedAt) = (observer.seconds(since: queuedAt), observer.instant())
                    let result = Result(catching: work)
                    observer.observe(.passwordHashed(waited: waited, took: observer.seconds(since: startedAt)))
                    span?.note(.waited(waited))
                    continuation.resume(with: result)
                }
                start(Job(run: run, fail: { continuation.resume(throwing: Argon2Error.noThread) }), app)
            }
        }
    }

    /// Places that are taken now.
    var load: Int { state.withLock(\.places.taken) }

    /// Jobs that wait for a slot now.
    var waiting: Int { state.withLock(\.waiting.count) }

    private func start(_ job: Job, _ app: AppID) {
        let hasSlot = state.withLock { state in
            guard state.idle > 0 else {
                state.waiting.append(job, app: app)
                return false
            }
            state.idle -= 1
            return true
        }
        guard hasSlot else { return }
        let isStarted = startThread {
            LowPriority.ofThisThread()
            job.run()
            while let next = self.next() { next.run() }
        }
        if !isStarted { giveBackSlot(of: job, app) }
    }

    /// A slot has no thread. Its job waits for another slot. If none runs, nothing that waits would ever run.
    private func giveBackSlot(of job: Job, _ app: AppID) {
        let failed = state.withLock { state in
            state.idle += 1
            state.waiting.append(job, app: app)
            var failed: [Job] = []
            while state.idle == slots, let next = state.waiting.popNext() { failed.append(next) }
            return failed
        }
        for job in failed { job.fail() }
    }

    /// Returns the next job. If there is none, the slot is idle and the thread ends.
    private func next() -> Job? {
        state.withLock { state in
            if let job = state.waiting.popNext() { return job }
            state.idle += 1
            return nil
        }
    }
}

/// Waiting jobs, which are returned for one app after the other, and in order within an app.
struct FairQueue<Job> {
    private var jobs: [AppID: [Job]] = [:]
    /// The apps with waiting jobs; the first one is next.
    private var order: [AppID] = []
    private(set) var count = 0

    mutating func append(_ job: Job, app: AppID) {
        if jobs[app] == nil { order.append(app) }
        jobs[app, default: []].append(job)
        count += 1
    }

    mutating func popNext() -> Job? {
        guard !order.isEmpty else { return nil }
        let app = order.removeFirst()
        guard var own = jobs[app], !own.isEmpty else { return nil }
        let job = own.removeFirst()
        jobs[app] = own.isEmpty ? nil : own
        if !own.isEmpty { order.append(app) }
        count -= 1
        return job
    }
}

/// Threads for hashes.
enum HashingThread {
    /// The bytes of a stack: a hash needs few. Those of the system's threads are 8 MB, which a process with little memory may
    /// not get.
    private static let stackSize = 1 << 20

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs work on a thread of its own. `Thread` does not say if it could not be started.
    ///
    /// - Returns: `false`, and nothing runs, if the process gets no memory for a thread, or may have no further one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        guard pthread_attr_init(attributes) == 0 else { return false }
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, stackSize)
        let context = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, attributes, { HashingThread.run($0) }, context.toOpaque())
        if code != 0 { context.release() }
        return code == 0
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
}

/// Lowers the priority of a thread.
enum LowPriority {
    #if canImport(Glibc)
        /// The nice value of the thread: a thread of normal priority gets nine times as much of a busy processor.
        private static let nice: Int32 = 10
    #endif

    /// It cannot be raised again without privileges, so the thread must do no other work afterwards.
    static func ofThisThread() {
        #if canImport(Glibc)
            // On Linux, 0 names the calling thread, not the process.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
        #else
            Thread.current.qualityOfService = .utility
        #endif
    }
}

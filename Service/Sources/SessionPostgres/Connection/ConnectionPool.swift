internal import Dispatch
internal import Foundation
internal import SessionDomain
internal import SessionSQL
internal import Synchronization

/// The connections of a store. Each has a thread, which takes the jobs that wait.
///
/// While all threads are busy, jobs collect; the next free thread then takes all that can share a transaction. So batches grow
/// with the load, and without load no job waits for another.
final class ConnectionPool: Sendable {
    private struct Queue {
        var waiting = WaitingJobs()
        /// Threads that sleep.
        var idle = 0
        /// Whether a thread will wake others for all jobs that wait.
        var isAnnounced = false
        /// Threads whose job has waited for a lock before, and may do so again.
        var lockWaits = 0
        /// When a timer will look for jobs that have waited for too long. `.max`: none will.
        var timer = Int64.max
        var isClosed = false

        /// - Returns: When a new timer must look, because no other does by the deadline of a job.
        mutating func time(_ deadline: Int64) -> Int64? {
            guard deadline < timer else { return nil }
            timer = deadline
            return deadline
        }
    }

    private let queue = Mutex(Queue())
    private let wakeUps = DispatchSemaphore(value: 0)
    private let running = DispatchGroup()
    private let options: PoolOptions
    private let observer: any ServiceObserver
    private let handover: any Handover
    private let clock: WorkerClock

    /// How many threads have a connection.
    let connected = ConnectionCount()

    /// - Parameter run: Runs batches until there are none, on a thread of its own.
    init(
        _ options: PoolOptions, observer: any ServiceObserver, handover: any Handover, clock: WorkerClock = .live,
        run: @escaping @Sendable (ConnectionPool) -> Void
    ) {
        self.options = options
        self.observer = observer
        self.handover = handover
        self.clock = clock
        for _ in 0..<options.size {
            running.enter()
            Thread.detachNewThread { [running] in
                run(self)
                running.leave()
            }
        }
    }

    var waitingCount: Int { queue.withLock(\.waiting.count) }

    func enqueue(_ job: PoolJob) {
        var job = job
        job.deadline = clock.uptime() + options.patience
        let (refusal, mustAnnounce, timer): (StoreError?, Bool, Int64?) = queue.withLock { queue in
            if queue.isClosed { return (.unavailable("the store is closed"), false, nil) }
            if queue.waiting.count >= options.capacity { return (.overloaded, false, nil) }
            queue.waiting.append(job)
            defer { queue.isAnnounced = true }
            return (nil, !queue.isAnnounced, queue.time(job.deadline))
        }
        if let refusal {
            if refusal == .overloaded { observer.observe(.writeRefused) }
            return job.fail(refusal)
        }
        failExpired(at: timer)
        if mustAnnounce { handover.afterTick { self.wake() } }
    }

    /// Fails the jobs that have waited for too long, and comes again for those that wait.
    private func failExpired() {
        let now = clock.uptime()
        let (expired, timer) = queue.withLock { queue in
            let expired = queue.waiting.removeExpired(at: now)
            queue.timer = .max
            return (expired, queue.time(queue.waiting.firstDeadline ?? .max))
        }
        for job in expired { job.fail(job.lateness) }
        failExpired(at: timer)
    }

    private func failExpired(at timer: Int64?) {
        guard let timer else { return }
        clock.later(max(timer - clock.uptime(), 1)) { [weak self] in self?.failExpired() }
    }

    /// Rejects new jobs, and waits for those that wait.
    func close() async {
        let idle = queue.withLock { queue in
            queue.isClosed = true
            defer { queue.idle = 0 }
            return queue.idle
        }
        for _ in 0..<idle { wakeUps.signal() }
        await withCheckedContinuation { continuation in
            running.notify(queue: .global()) { continuation.resume() }
        }
    }

    /// Takes back a batch, for a thread that has a connection.
    func giveBack(_ batch: [PoolJob]) {
        queue.withLock { queue in
            queue.lockWaits -= Self.lockWaits(batch)
            queue.waiting.prepend(batch)
        }
        wake()
    }

    /// Notes that a thread has run a batch.
    ///
    /// - Parameter blocked: Its jobs that wait for a lock. They go behind all others, and meanwhile need no connection.
    func finished(_ batch: [PoolJob], blocked: [PoolJob]) {
        let timers = queue.withLock { queue in
            queue.lockWaits -= Self.lockWaits(batch)
            for job in blocked { queue.waiting.append(job) }
            return blocked.compactMap { queue.time($0.deadline) }
        }
        failExpired(at: timers.last)
        if !blocked.isEmpty { wake() }
    }

    private static func lockWaits(_ batch: [PoolJob]) -> Int { batch.count { $0.lockWaits > 0 } }

    private func wake() {
        let count = queue.withLock { queue in
            queue.isAnnounced = false
            let count = min(queue.idle, queue.waiting.groups)
            queue.idle -= count
            return count
        }
        for _ in 0..<count { wakeUps.signal() }
    }

    /// The next jobs of a thread. Sleeps while there are none. `nil`: the pool is closed.
    func next() -> [PoolJob]? {
        while true {
            let (batch, isClosed) = queue.withLock { queue in
                let batch = queue.waiting.next(
                    limit: options.batchSize, mayWait: queue.lockWaits < options.lockWaits)
                queue.lockWaits += Self.lockWaits(batch)
                if batch.isEmpty, !queue.isClosed { queue.idle += 1 }
                return (batch, queue.isClosed)
            }
            if !batch.isEmpty { return batch }
            if isClosed { return nil }
            wakeUps.wait()
        }
    }
}

package struct PoolOptions: Sendable {
    /// Connections, and threads.
    package var size = 8
    /// Jobs that may wait. One more fails with `StoreError.overloaded`.
    package var capacity = 4096
    /// Jobs that share a transaction at most.
    package var batchSize = 64
    /// Whether jobs share transactions (`SharedTransactions`).
    var sharesTransactions = true
    /// Milliseconds for which a job may wait for a connection: in the queue, and while a thread connects. Later it fails with
    /// `StoreError.unavailable`, also if all threads are busy.
    package var patience: Int64 = 5000

    /// Connections that jobs may use which have waited for a lock. The others are for jobs of which nothing is known.
    var lockWaits: Int { max(size / 2, 1) }

    package init() {}
}

/// What a connection does for one caller.
struct PoolJob: Sendable {
    enum Work: Sendable {
        /// Reads, and returns what answers the caller. Nothing changes, so it can run again on another connection.
        case read(@Sendable (PostgresConnection) throws(PostgresFailure) -> @Sendable () -> Void)
        /// Writes.
        case intent(@Sendable () -> any Attempt)

        var attempt: (any Attempt)? { if case .intent(let attempt) = self { attempt() } else { nil } }
        var isIntent: Bool { if case .intent = self { true } else { false } }
    }

    /// An instant of the observer.
    let queuedAt: UInt64
    let work: Work
    /// Intents with different keys can share a transaction. `nil`: this one needs its own.
    var sharingKey: String?
    let fail: @Sendable (StoreError) -> Void
    /// Where the trace of the caller shows the transaction.
    let span: (any WorkSpan)?
    /// Milliseconds of uptime until which the job may wait for a connection, or for a lock. The pool sets it.
    var deadline = Int64.max
    /// How often it has waited for a lock in vain.
    private(set) var lockWaits = 0

    /// Why it fails at its deadline.
    var lateness: StoreError {
        lockWaits > 0 ? .locked : .unavailable("no connection to the database became free in time")
    }

    /// The same job after it has waited for a lock in vain. It shares no transaction, so that only itself waits again.
    ///
    /// - Returns: `nil` if that was the last attempt.
    func afterLockWait(now: Int64) -> PoolJob? {
        guard lockWaits + 1 < GuardFailures.maximumAttempts, now < deadline else { return nil }
        var next = self
        next.lockWaits += 1
        next.sharingKey = nil
        return next
    }
}

/// The jobs that wait for a connection, in their order.
struct WaitingJobs {
    private var jobs: [PoolJob] = []

    var count: Int { jobs.count }
    /// `nil`: no job waits.
    var firstDeadline: Int64? { jobs.lazy.map(\.deadline).min() }

    /// How many connections they can use.
    var groups: Int { jobs.count { $0.sharingKey == nil } + (jobs.contains { $0.sharingKey != nil } ? 1 : 0) }

    mutating func append(_ job: PoolJob) { jobs.append(job) }

    mutating func prepend(_ batch: [PoolJob]) { jobs.insert(contentsOf: batch, at: 0) }

    /// Removes the first job, and those after it that can share its transaction.
    ///
    /// - Parameter mayWait: Whether it may be a job that has waited for a lock.
    mutating func next(limit: Int, mayWait: Bool = true) -> [PoolJob] {
        guard let place = jobs.firstIndex(where: { mayWait || $0.lockWaits == 0 }) else { return [] }
        let first = jobs[place]
        guard let key = first.sharingKey else { return [jobs.remove(at: place)] }
        var (batch, keys, left): ([PoolJob], Set<String>, [PoolJob]) = ([first], [key], Array(jobs[..<place]))
        for job in jobs[(place + 1)...] {
            // Not before a job with the same key, which stays.
            if let key = job.sharingKey, batch.count < limit, keys.insert(key).inserted {
                batch.append(job)
            } else {
                left.append(job)
            }
        }
        jobs = left
        // All nodes lock sessions in the same order.
        return batch.sorted { ($0.sharingKey ?? "") < ($1.sharingKey ?? "") }
    }

    /// Removes the jobs whose deadline has passed.
    mutating func removeExpired(at now: Int64) -> [PoolJob] {
        guard let firstDeadline, firstDeadline <= now else { return [] }
        let expired = jobs.filter { $0.deadline <= now }
        jobs.removeAll { $0.deadline <= now }
        return expired
    }
}

/// How many threads of a pool have a connection, as far as they have noticed.
final class ConnectionCount: Sendable {
    private let stored = Mutex(0)

    var value: Int { stored.withLock(\.self) }

    func add(_ change: Int) { stored.withLock { $0 += change } }
}

internal import Dispatch
internal import Foundation
internal import SessionDomain
internal import Synchronization

/// The connections of a store. Each has a thread, which takes the jobs that wait.
///
/// While all threads are busy, jobs collect; the next free thread then takes all that can share a transaction. So batches grow
/// with the load, and without load no job waits for another.
@available(service, *)
final class ConnectionPool: Sendable {
    private struct Queue {
        var waiting = WaitingJobs()
        /// Threads that sleep.
        var idle = 0
        /// Whether a thread will wake others for all jobs that wait.
        var isAnnounced = false
        /// Whether a timer will look for jobs that have waited for too long.
        var isTimed = false
        var isClosed = false
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
        let (refusal, mustAnnounce, mustTime): (StoreError?, Bool, Bool) = queue.withLock { queue in
            if queue.isClosed { return (.unavailable("the store is closed"), false, false) }
            if queue.waiting.count >= options.capacity { return (.overloaded, false, false) }
            queue.waiting.append(job)
            defer { (queue.isAnnounced, queue.isTimed) = (true, true) }
            return (nil, !queue.isAnnounced, !queue.isTimed)
        }
        if let refusal {
            if refusal == .overloaded { observer.observe(.writeRefused) }
            return job.fail(refusal)
        }
        if mustTime { clock.later(options.patience) { [weak self] in self?.failExpired() } }
        if mustAnnounce { handover.afterTurn { self.wake() } }
    }

    /// Fails the jobs that have waited for too long, and comes again for those that wait.
    private func failExpired() {
        let now = clock.uptime()
        let (expired, next) = queue.withLock { queue in
            let expired = queue.waiting.removeExpired(at: now)
            let next = queue.waiting.firstDeadline
            queue.isTimed = next != nil
            return (expired, next)
        }
        for job in expired { job.fail(Self.noConnection) }
        if let next { clock.later(max(next - now, 1)) { [weak self] in self?.failExpired() } }
    }

    private static let noConnection = StoreError.unavailable("no connection to the database became free in time")

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
        queue.withLock { $0.waiting.prepend(batch) }
        wake()
    }

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
                let batch = queue.waiting.next(limit: options.batchSize)
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

    package init() {}
}

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
        var isClosed = false
    }

    private let queue = Mutex(Queue())
    private let wakeUps = DispatchSemaphore(value: 0)
    private let running = DispatchGroup()
    private let options: PoolOptions
    private let observer: any ServiceObserver
    private let handover: any Handover

    /// How many threads have a connection.
    let connected = ConnectionCount()

    /// - Parameter run: Runs batches until there are none, on a thread of its own.
    init(
        _ options: PoolOptions, observer: any ServiceObserver, handover: any Handover,
        run: @escaping @Sendable (ConnectionPool) -> Void
    ) {
        self.options = options
        self.observer = observer
        self.handover = handover
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
        let (refusal, mustAnnounce): (StoreError?, Bool) = queue.withLock { queue in
            if queue.isClosed { return (.unavailable("the store is closed"), false) }
            if queue.waiting.count >= options.capacity { return (.overloaded, false) }
            queue.waiting.append(job)
            defer { queue.isAnnounced = true }
            return (nil, !queue.isAnnounced)
        }
        if let refusal {
            if refusal == .overloaded { observer.observe(.writeRefused) }
            return job.fail(refusal)
        }
        if mustAnnounce { handover.afterTurn { self.wake() } }
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
    /// Milliseconds for which a job may wait for a connection.
    package var patience: Int64 = 5000

    package init() {}
}

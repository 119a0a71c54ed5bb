internal import Dispatch
internal import Foundation
internal import SessionDomain
internal import SessionSQL

/// The thread of one connection: runs jobs, and connects again when the connection is lost.
final class ConnectionWorker {
    private let connect: @Sendable () throws(PostgresFailure) -> PostgresConnection
    private let options: PoolOptions
    private let health: StoreHealth
    private let observer: any ServiceObserver
    private let handover: any Handover
    private let waiting: @Sendable () -> Int
    private let clock: WorkerClock
    private let connected: ConnectionCount
    private var connection: PostgresConnection? {
        didSet { connected.add((connection == nil ? 0 : 1) - (oldValue == nil ? 0 : 1)) }
    }
    /// Why an attempt to connect has just failed.
    private var refusal: PostgresFailure?
    private var hasFailed = false
    /// Whether the server was away for longer than a caller may wait. Then the jobs behind that caller do not wait as long.
    private var isAway = false

    init(
        connect: @escaping @Sendable () throws(PostgresFailure) -> PostgresConnection, options: PoolOptions,
        health: StoreHealth,
        observer: any ServiceObserver, handover: any Handover, clock: WorkerClock = .live,
        connected: ConnectionCount = ConnectionCount(), waiting: @escaping @Sendable () -> Int
    ) {
        self.connect = connect
        self.options = options
        self.health = health
        self.observer = observer
        self.handover = handover
        self.waiting = waiting
        self.clock = clock
        self.connected = connected
    }

    /// Runs a batch.
    ///
    /// - Returns: The jobs that wait for a lock, and must be tried again. `nil` if another thread of the pool must run the
    ///   batch, because the server refuses a connection to this one, such as by `max_connections`.
    func run(_ batch: [PoolJob]) -> [PoolJob]? {
        let startedAt = observer.instant()
        guard !isRefused() else { return nil }
        return batch.count > 1 ? runTogether(batch, startedAt) : batch.compactMap(runAlone)
    }

    /// Runs the batches of a pool until it is closed.
    func work(for pool: ConnectionPool) {
        while let batch = pool.next() {
            if let blocked = run(batch) {
                pool.finished(batch, blocked: blocked)
            } else {
                pool.giveBack(batch)
                clock.rest()
            }
        }
        // So that the threads that still have jobs do not leave them to this one. Its end alone would not count.
        connection = nil
    }

    /// Whether only this thread gets no connection. A server that does not answer at once may be away for all.
    private func isRefused() -> Bool {
        if connection?.isUsable == true { return false }
        (connection, refusal) = (nil, nil)
        guard connected.value > 0 else { return false }
        let start = clock.uptime()
        do {
            connection = try connect()
            return false
        } catch {
            if connected.value > 0, clock.uptime() < start + Self.quickly { return true }
            refusal = error
            return false
        }
    }

    /// Milliseconds in which a server that works refuses a connection.
    private static let quickly: Int64 = 500

    /// Runs a batch in one transaction. If one job of it is refused or waits for a lock, each runs on its own.
    ///
    /// - Returns: The jobs that wait for a lock.
    private func runTogether(_ batch: [PoolJob], _ startedAt: UInt64) -> [PoolJob] {
        hasFailed = false
        do {
            let deadline = batch.lazy.map(\.deadline).min() ?? .max
            let replies = try withConnection(until: deadline) { connection throws(PostgresFailure) in
                try Transaction(connection: connection).runTogether(batch.compactMap { $0.work.attempt })
            }
            // Each caller gets the answer as soon as its transaction has ended.
            guard let replies else { return batch.compactMap(runAlone) }
            health.committed()
            finish(batch, replies, startedAt)
            return []
        } catch {
            // Jobs that may wait longer than the first one go on without it.
            let now = clock.uptime()
            let waiting = isAway || !error.mayBeRepeated ? [] : batch.filter { $0.deadline > now }
            let failed = waiting.isEmpty ? batch : batch.filter { $0.deadline <= now }
            finish(failed, fail(failed, error), startedAt)
            return waiting.count > 1 ? runTogether(waiting, startedAt) : waiting.compactMap(runAlone)
        }
    }

    /// Runs a job in a transaction of its own.
    ///
    /// - Returns: The job for another attempt if it waits for a lock.
    private func runAlone(_ job: PoolJob) -> PoolJob? {
        let startedAt = observer.instant()
        hasFailed = false
        do {
            finish([job], [try answer(to: job)], startedAt)
        } catch {
            if error.isOfLock, let next = job.afterLockWait(now: clock.uptime()) { return next }
            finish([job], fail([job], error), startedAt)
        }
        return nil
    }

    /// Reports jobs before their callers resume, so that a metric that is read after a response contains its commit.
    private func finish(_ batch: [PoolJob], _ replies: [@Sendable () -> Void], _ startedAt: UInt64) {
        report(batch, startedAt: startedAt)
        handover.resuming { for reply in replies { reply() } }
    }

    private func answer(to job: PoolJob) throws(PostgresFailure) -> @Sendable () -> Void {
        try withConnection(until: job.deadline) { connection throws(PostgresFailure) in
            try connection.waitingLonger(job.lockWaits > 0) { connection throws(PostgresFailure) in
                switch job.work {
                case .read(let read): return try read(connection)
                case .intent(let attempt):
                    let answer = try Transaction(connection: connection).run(attempt())
                    health.committed()
                    return answer
                }
            }
        }
    }

    private func fail(_ batch: [PoolJob], _ failure: PostgresFailure) -> [@Sendable () -> Void] {
        let error = StoreError(failure)
        if failure.isOfCaller { health.failed(error) } else { health.failedTransaction(error) }
        hasFailed = true
        return batch.map { job in { job.fail(error) } }
    }

    /// Runs work. If the connection is lost before a commit was sent, the work runs again on a new one, as long as a caller
    /// may wait.
    private func withConnection<Answer>(
        until deadline: Int64, _ work: (PostgresConnection) throws(PostgresFailure) -> Answer
    ) throws(PostgresFailure) -> Answer {
        let start = clock.uptime()
        let end = isAway ? start : min(deadline, start + options.patience)
        while true {
            do {
                let opened = try opened()
                isAway = false
                let answer = try work(opened)
                opened.noteAnswer(clock.uptime())
                return answer
            } catch {
                guard error.isOfConnection else { throw error }
                connection = nil
                guard error.mayBeRepeated else { throw error }
                let now = clock.uptime()
                guard now < end else {
                    isAway = isAway || now >= start + options.patience
                    throw error
                }
                clock.pause()
            }
        }
    }

    private func opened() throws(PostgresFailure) -> PostgresConnection {
        if let connection, connection.isUsable { return connection }
        if let refusal {
            self.refusal = nil
            throw refusal
        }
        let new = try connect()
        connection = new
        return new
    }

    private func report(_ batch: [PoolJob], startedAt: UInt64) {
        let queuedAt = batch.first?.queuedAt ?? startedAt
        let waited = startedAt > queuedAt ? Double(startedAt - queuedAt) / 1_000_000_000 : 0
        for job in batch { job.span?.note(.batch(writes: batch.count, waited: waited)) }
        guard batch.contains(where: { $0.work.isIntent }) else { return }
        observer.observe(
            .committed(
                CommitBatch(
                    writes: batch.count, waited: waited, took: observer.seconds(since: startedAt),
                    hasFailed: hasFailed, waiting: waiting())))
    }
}

/// The time of a worker.
struct WorkerClock: Sendable {
    /// Milliseconds on a clock that never jumps.
    let uptime: @Sendable () -> Int64
    /// Waits before the next attempt to connect.
    let pause: @Sendable () -> Void
    /// Waits while other threads of the pool do the work.
    let rest: @Sendable () -> Void
    /// Runs the closure after this many milliseconds, on another thread.
    let later: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void

    static let live = WorkerClock(
        uptime: ServiceEnvironment.live.uptime, pause: { Thread.sleep(forTimeInterval: 0.1) },
        rest: { Thread.sleep(forTimeInterval: 1) },
        later: { DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int($0)), execute: $1) })
}

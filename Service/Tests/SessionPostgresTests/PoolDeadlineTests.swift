internal import Dispatch
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("Jobs that no thread takes in time", .timeLimit(.minutes(1)))
struct PoolDeadlineTests {
    /// The time of a pool. A test lets it pass.
    private final class Time: Sendable {
        private struct State {
            var now: Int64 = 0
            var timers: [(at: Int64, run: @Sendable () -> Void)] = []
        }

        private let state = Mutex(State())

        var clock: WorkerClock {
            WorkerClock(
                uptime: { self.state.withLock(\.now) }, pause: {}, rest: {},
                later: { milliseconds, run in
                    self.state.withLock { $0.timers.append(($0.now + milliseconds, run)) }
                })
        }

        /// When the timers fire.
        var timers: [Int64] { state.withLock { $0.timers.map(\.at) } }

        func pass(_ milliseconds: Int64) {
            let due = state.withLock { state in
                state.now += milliseconds
                defer { state.timers.removeAll { $0.at <= state.now } }
                return state.timers.filter { $0.at <= state.now }
            }
            for timer in due { timer.run() }
        }
    }

    private let time = Time()

    /// Runs a test with a pool whose only thread is busy until the end of the test.
    private func withBusyPool(_ body: (ConnectionPool) -> Void) async {
        var options = PoolOptions()
        (options.size, options.patience) = (1, 1000)
        let busy = DispatchSemaphore(value: 0)
        let pool = ConnectionPool(options, observer: NoObserver(), handover: DirectHandover(), clock: time.clock) {
            busy.wait()
            while let batch = $0.next() {
                for job in batch { job.fail(.missing) }
            }
        }
        body(pool)
        busy.signal()
        await pool.close()
    }

    private final class Failures: Sendable {
        let errors = Mutex<[Int: StoreError]>([:])

        func job(_ name: Int) -> PoolJob {
            PoolJob(
                queuedAt: 0, work: .read { _ throws(PostgresFailure) in {} }, sharingKey: nil,
                fail: { error in self.errors.withLock { $0[name] = error } }, span: nil)
        }

        var all: [Int: StoreError] { errors.withLock(\.self) }
    }

    @Test("A job fails at its deadline although all threads are busy, and the next one at its own")
    func deadline() async {
        let failures = Failures()
        let late = StoreError.unavailable("no connection to the database became free in time")
        await withBusyPool { pool in
            pool.enqueue(failures.job(1))
            pool.enqueue(failures.job(2))
            time.pass(600)
            pool.enqueue(failures.job(3))
            #expect(time.timers == [1000], "one timer is enough")
            time.pass(399)
            #expect(failures.all.isEmpty)
            time.pass(1)
            #expect(failures.all == [1: late, 2: late])
            #expect(pool.waitingCount == 1)
            #expect(time.timers == [1600])
            time.pass(600)
            #expect(failures.all == [1: late, 2: late, 3: late])
            #expect(time.timers.isEmpty, "no job waits")
            // The next job starts a timer again.
            pool.enqueue(failures.job(4))
            #expect(time.timers == [2600])
        }
        #expect(failures.all[4] == .missing, "a thread took it in time")
    }

    @Test("A job that waits for a lock goes behind the others, keeps its deadline, and says what it waited for")
    func blocked() async {
        let failures = Failures()
        await withBusyPool { pool in
            pool.enqueue(failures.job(1))
            guard let batch = pool.next(), let blocked = batch[0].afterLockWait(now: 0) else { return }
            time.pass(300)
            pool.enqueue(failures.job(2))
            pool.finished(batch, blocked: [blocked])
            #expect(pool.next()?.first?.lockWaits == 0)
            // The pool has one connection, so one job may wait for locks at a time.
            guard let again = pool.next(), let last = again[0].afterLockWait(now: 300) else { return }
            pool.finished(again, blocked: [last])
            time.pass(699)
            #expect(failures.all.isEmpty)
            time.pass(1)
            #expect(failures.all == [1: .locked])
        }
    }

    @Test("A job that comes back has a timer of its own if it must end before those that wait")
    func earlierDeadline() async {
        let failures = Failures()
        await withBusyPool { pool in
            pool.enqueue(failures.job(1))
            time.pass(500)
            pool.enqueue(failures.job(2))
            guard pool.next() != nil, let second = pool.next() else { return }
            time.pass(400)
            pool.enqueue(failures.job(3))
            time.pass(100)
            #expect(time.timers == [1900])
            pool.finished(second, blocked: second.compactMap { $0.afterLockWait(now: 1000) })
            #expect(time.timers == [1900, 1500])
            time.pass(500)
            #expect(failures.all.keys.sorted() == [2])
        }
    }

    @Test("A job that a thread gives back keeps its deadline")
    func givenBack() async {
        let failures = Failures()
        await withBusyPool { pool in
            pool.enqueue(failures.job(1))
            time.pass(700)
            guard let batch = pool.next() else { return }
            pool.giveBack(batch)
            time.pass(300)
            #expect(failures.all.count == 1)
        }
    }
}

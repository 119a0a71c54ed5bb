internal import SessionDomain
internal import Synchronization
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("A worker whose server is away")
struct ConnectionWorkerTests {
    /// What a worker did.
    private final class Log: Sendable {
        private let state = Mutex((connects: 0, uptime: Int64(0), backAt: Int64.max))

        var connects: Int { state.withLock(\.connects) }
        var uptime: Int64 { state.withLock(\.uptime) }

        func connect() -> Bool {
            state.withLock { state in
                state.connects += 1
                return state.uptime >= state.backAt
            }
        }

        func pause() { state.withLock { $0.uptime += 100 } }

        func comeBack(at uptime: Int64 = 0) { state.withLock { $0.backAt = uptime } }
    }

    private let log = Log()

    private func worker(connected: ConnectionCount = ConnectionCount()) -> ConnectionWorker {
        var options = PoolOptions()
        options.patience = 1000
        return ConnectionWorker(
            connect: { [log] () throws(PostgresFailure) in
                guard log.connect() else { throw PostgresFailure(.disconnected, "away") }
                do {
                    return try TestServer.connect(isUnhurried: false)
                } catch {
                    throw PostgresFailure(.rejected, "\(error)")
                }
            }, options: options, health: StoreHealth(), observer: NoObserver(), handover: DirectHandover(),
            clock: WorkerClock(
                uptime: { [log] in log.uptime }, pause: { [log] in log.pause() }, rest: {}, later: { _, _ in }),
            connected: connected, waiting: { 0 })
    }

    private func read(until deadline: Int64 = .max, _ answer: Answer) -> PoolJob {
        PoolJob(
            queuedAt: 0,
            work: .read { connection throws(PostgresFailure) in
                _ = try connection.run([Statement("SELECT 1")])
                return { answer.succeed() }
            }, sharingKey: nil, fail: { answer.set($0) }, span: nil, deadline: deadline)
    }

    /// Runs one read. Returns why it failed.
    private func run(_ worker: ConnectionWorker, until deadline: Int64 = .max) -> StoreError? {
        let answer = Answer()
        _ = worker.run([read(until: deadline, answer)])
        return answer.error
    }

    @Test("A worker that gets no connection leaves its jobs to others of the pool that have one")
    func leaving() {
        let connected = ConnectionCount()
        let worker = worker(connected: connected)
        let answer = Answer()
        let job = PoolJob(
            queuedAt: 0, work: .read { _ throws(PostgresFailure) in {} }, sharingKey: nil, fail: { answer.set($0) },
            span: nil)
        connected.add(1)
        #expect(worker.run([job]) == nil)
        #expect(answer.error == nil)
        #expect(log.connects == 1)
        connected.add(-1)
        #expect(worker.run([job]) != nil)
        #expect(answer.error == .unavailable("away"))
        log.comeBack()
        connected.add(1)
        #expect(worker.run([job]) != nil)
        #expect(connected.value == 2)
    }

    @Test("One caller waits for the server. Those behind it get their errors at once, until it is back")
    func away() {
        let worker = worker()
        #expect(run(worker) == .unavailable("away"))
        #expect(log.connects == 11)
        for count in 12...14 {
            #expect(run(worker) == .unavailable("away"))
            #expect(log.connects == count)
        }
        #expect(log.uptime == 1000)
        log.comeBack()
        #expect(run(worker) == nil)
        #expect(run(worker) == nil)
        #expect(log.connects == 15)
    }

    @Test("The time in the queue counts: a job that has waited there waits less for the server")
    func deadline() {
        let worker = worker()
        #expect(run(worker, until: 300) == .unavailable("away"))
        #expect(log.uptime == 300)
        #expect(log.connects == 4)
        // The server was not away for as long as a caller may wait. So the next caller does wait.
        #expect(run(worker) == .unavailable("away"))
        #expect(log.uptime == 1300)
    }

    @Test("A job whose row is locked is returned to the pool, and waits longer at its next attempts")
    func locked() throws {
        let worker = worker()
        log.comeBack()
        let waits = Mutex<[String]>([])
        let answer = Answer()
        let job = PoolJob(
            queuedAt: 0,
            work: .read { connection throws(PostgresFailure) in
                let rows = try connection.run([.begin, Statement("SELECT current_setting('lock_timeout')"), .commit])
                waits.withLock { $0.append((try? rows[1].first { try $0.next() as String }) ?? "") }
                throw PostgresFailure(state: "55P03", message: "locked", of: nil)
            }, sharingKey: nil, fail: { answer.set($0) }, span: nil)
        var blocked = [job]
        for _ in 1..<GuardFailures.maximumAttempts {
            blocked = try #require(worker.run(blocked))
            #expect(blocked.count == 1)
            #expect(answer.error == nil)
        }
        #expect(try #require(worker.run(blocked)).isEmpty)
        #expect(answer.error == .locked)
        #expect(waits.withLock(\.self) == ["100ms"] + Array(repeating: "500ms", count: 7))
    }

    @Test("Of a batch, only the jobs fail whose time is over")
    func deadlinesOfBatch() {
        let worker = worker()
        log.comeBack(at: 700)
        let (first, second, third) = (Answer(), Answer(), Answer())
        #expect(worker.run([read(until: 300, first), read(until: 600, second), read(until: 900, third)]) != nil)
        #expect(first.error == .unavailable("away"))
        #expect(second.error == .unavailable("away"))
        #expect(third.isSuccess)
        #expect(log.uptime == 700)
    }
}

private final class Answer: Sendable {
    private let stored = Mutex<Result<Void, StoreError>?>(nil)

    var error: StoreError? { stored.withLock { if case .failure(let error) = $0 { error } else { nil } } }
    var isSuccess: Bool { stored.withLock { if case .success = $0 { true } else { false } } }

    func set(_ error: StoreError) { stored.withLock { $0 = .failure(error) } }

    func succeed() { stored.withLock { $0 = .success(()) } }
}

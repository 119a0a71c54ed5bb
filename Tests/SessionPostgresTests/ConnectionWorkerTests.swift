internal import SessionDomain
internal import Synchronization
internal import Testing

@testable import SessionPostgres

@Suite("A worker whose server is away")
struct ConnectionWorkerTests {
    /// What a worker did.
    private final class Log: Sendable {
        private let state = Mutex((connects: 0, uptime: Int64(0), isBack: false))

        var connects: Int { state.withLock(\.connects) }
        var uptime: Int64 { state.withLock(\.uptime) }

        func connect() -> Bool {
            state.withLock { state in
                state.connects += 1
                return state.isBack
            }
        }

        func pause() { state.withLock { $0.uptime += 100 } }

        func comeBack() { state.withLock { $0.isBack = true } }
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
            clock: WorkerClock(uptime: { [log] in log.uptime }, pause: { [log] in log.pause() }, rest: {}),
            connected: connected, waiting: { 0 })
    }

    /// Runs one read. Returns why it failed.
    private func run(_ worker: ConnectionWorker) -> StoreError? {
        let answer = Answer()
        _ = worker.run([
            PoolJob(
                queuedAt: 0,
                work: .read { connection throws(PostgresFailure) in
                    _ = try connection.run([Statement("SELECT 1")])
                    return {}
                }, sharingKey: nil, fail: { answer.set($0) }, span: nil)
        ])
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
        #expect(!worker.run([job]))
        #expect(answer.error == nil)
        #expect(log.connects == 1)
        connected.add(-1)
        #expect(worker.run([job]))
        #expect(answer.error == .unavailable("away"))
        log.comeBack()
        connected.add(1)
        #expect(worker.run([job]))
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
}

private final class Answer: Sendable {
    private let stored = Mutex<StoreError?>(nil)

    var error: StoreError? { stored.withLock(\.self) }

    func set(_ error: StoreError) { stored.withLock { $0 = error } }
}

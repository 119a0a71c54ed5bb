import NIOCore

/// One phase while it runs: gives operations to idle connections when they are due.
final class PhaseRun {
    private let loop: any EventLoop
    private let promise: EventLoopPromise<PhaseResult>
    private var schedule: Schedule
    private let begin = NIODeadline.now().uptimeNanoseconds
    private var last: UInt64
    private var idle: [Connection] = []
    private var running: Set<ObjectIdentifier> = []
    private var isWaiting = false
    private var isOver = false
    private var tally = Tally()
    private var completedInTime = 0

    /// Seconds that the last responses may take.
    private static let patience = 30.0

    init(_ phase: Phase, loop: any EventLoop) {
        self.loop = loop
        promise = loop.makePromise()
        schedule = Schedule(phase, now: begin)
        last = begin
        let patience = TimeAmount.nanoseconds(Int64((phase.seconds + Self.patience) * 1e9))
        loop.assumeIsolated().scheduleTask(in: patience) { [weak self] in
            self?.abort(BenchmarkError("a response is missing after \(Int(Self.patience)) seconds"))
        }
    }

    /// Starts with connections that have an operation.
    func start(_ connections: [Connection]) -> EventLoopFuture<PhaseResult> {
        idle = connections
        dispatch()
        return promise.futureResult
    }

    func completed(_ connection: Connection, _ name: String, since: UInt64) {
        last = NIODeadline.now().uptimeNanoseconds
        tally.record(name, nanoseconds: last - since)
        if last <= schedule.end { completedInTime += 1 }
        release(connection)
    }

    func failed(_ connection: Connection, status: Int, _ detail: String) {
        tally.fail(status: status, detail)
        release(connection)
    }

    /// The connection is closed and performs nothing more.
    func lost(_ connection: Connection) {
        idle.removeAll { $0 === connection }
        guard running.remove(ObjectIdentifier(connection)) != nil else { return }
        tally.fail(status: 0, "the server has closed the connection")
        dispatch()
    }

    /// The measurement is not possible.
    func abort(_ error: any Error) {
        guard !isOver else { return }
        isOver = true
        promise.fail(error)
    }

    private func release(_ connection: Connection) {
        running.remove(ObjectIdentifier(connection))
        idle.append(connection)
        dispatch()
    }

    private func dispatch() {
        guard !isOver else { return }
        do {
            while let connection = idle.first, let since = schedule.take(now: NIODeadline.now().uptimeNanoseconds) {
                idle.removeFirst()
                // A connection without a further operation does not become idle again.
                if try connection.perform(since: since) { running.insert(ObjectIdentifier(connection)) }
            }
        } catch {
            return abort(error)
        }
        guard let wakeUp = idle.isEmpty ? nil : schedule.nextWakeUp else {
            if running.isEmpty { finish() }
            return
        }
        guard !isWaiting else { return }
        isWaiting = true
        loop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(wakeUp)) {
            self.isWaiting = false
            self.dispatch()
        }
    }

    private func finish() {
        isOver = true
        promise.succeed(
            PhaseResult(
                tally: tally, seconds: Double(max(1, last - begin)) / 1e9, completedInTime: completedInTime))
    }
}

/// What a phase has measured, and how long it took.
struct PhaseResult: Sendable {
    let tally: Tally
    /// Seconds from the begin of the phase to the last successful response.
    let seconds: Double
    /// Operations that were complete before the seconds of the phase had passed.
    let completedInTime: Int

    /// What two phases have measured that ran at the same time.
    func joined(_ other: PhaseResult) -> PhaseResult {
        PhaseResult(
            tally: tally.joined(other.tally), seconds: max(seconds, other.seconds),
            completedInTime: completedInTime + other.completedInTime)
    }
}

import NIOCore
import Synchronization

/// Runs the tasks of connections on their event loop (SE-0417).
///
/// A request then changes threads only for the database and for password hashes. On Swift's own threads, each wait costs
/// two changes more. An event loop reads no socket while it has something to run, and would answer no health check until
/// all requests in work are done. So the jobs have a queue of their own, and pause for the sockets after each slice.
///
/// What blocks must not run in these tasks: it would delay all connections of the event loop.
final class EventLoopExecutor: TaskExecutor {
    /// How long jobs run before the event loop looks at its sockets.
    static let slice = TimeAmount.milliseconds(3)
    /// How long jobs wait for the sockets without `SocketTurn`.
    static let pause = TimeAmount.microseconds(100)

    private struct Queue {
        var jobs = CircularBuffer<UnownedJob>()
        /// Whether the event loop will run the jobs, or does so now.
        var isScheduled = false
    }

    private let eventLoop: any EventLoop
    private let queue = Mutex(Queue())
    private let sockets = SocketTurn()

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        sockets.open(on: eventLoop)
    }

    deinit { sockets.close() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasScheduled = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.isScheduled = true }
            return queue.isScheduled
        }
        if !wasScheduled { ThreadTurn.wake(self) }
    }

    /// Whether no job is left, and the event loop will run none. For tests.
    var isIdle: Bool { queue.withLock { !$0.isScheduled } }

    /// Makes the event loop run the jobs.
    func wake() {
        eventLoop.execute { self.run() }
    }

    private func run() {
        let isFinished = ThreadTurn.run { runJobs(until: eventLoop.now + Self.slice) }
        if isFinished || sockets.run({ self.run() }) { return }
        eventLoop.scheduleTask(in: Self.pause) { self.run() }
    }

    /// Returns `false` if jobs may be left.
    private func runJobs(until end: NIODeadline) -> Bool {
        while let job = next() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            if eventLoop.now >= end { return false }
        }
        return true
    }

    private func next() -> UnownedJob? {
        queue.withLock { queue in
            let job = queue.jobs.popFirst()
            if job == nil { queue.isScheduled = false }
            return job
        }
    }
}

/// The executors of a listener, one for each event loop.
final class EventLoopExecutors: Sendable {
    private let executors = Mutex<[ObjectIdentifier: EventLoopExecutor]>([:])

    /// The executor of the event loop of a connection.
    func executor(of eventLoop: any EventLoop) -> EventLoopExecutor {
        executors.withLock { executors in
            if let executor = executors[ObjectIdentifier(eventLoop)] { return executor }
            let executor = EventLoopExecutor(eventLoop)
            executors[ObjectIdentifier(eventLoop)] = executor
            return executor
        }
    }
}

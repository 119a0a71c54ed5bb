import Foundation
import NIOCore
import NIOPosix
import SessionDomain
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
    /// How long jobs wait for the sockets without `SocketTick`.
    static let pause = TimeAmount.microseconds(100)

    private struct Queue {
        var jobs = CircularBuffer<UnownedJob>()
        /// Whether the event loop will run the jobs, or does so now.
        var isScheduled = false
    }

    private let eventLoop: any EventLoop
    private let queue = Mutex(Queue())
    private let sockets = SocketTick()

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
        if !wasScheduled { ThreadTick.wake(self) }
    }

    /// Whether no job is left, and the event loop will run none. For tests.
    var isIdle: Bool { queue.withLock { !$0.isScheduled } }

    /// Makes the event loop run the jobs.
    func wake() {
        eventLoop.execute { self.run() }
    }

    private func run() {
        let isFinished = ThreadTick.run { runJobs(until: eventLoop.now + Self.slice) }
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

/// Runs a closure on an event loop after the event loop has looked at its sockets.
///
/// An event loop runs what is due until nothing is left, also what became due meanwhile, and only then looks at its sockets.
/// So a task that is scheduled for a little later may run before that, and again and again. A pipe is one of these sockets:
/// what it delivers runs together with what the others have received.
final class SocketTick: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private struct State {
        var pipe: (any Channel)?
        var closure: (@Sendable () -> Void)?
        var isClosed = false
    }

    /// It only has to be something.
    private static let byte = ByteBuffer(bytes: [0])

    private let state = Mutex(State())

    /// Opens a pipe that reads what it writes. There is none without a free file descriptor, or on event loops of other kinds.
    func open(on eventLoop: any EventLoop) {
        var ends: [CInt] = [0, 0]
        guard let bootstrap = NIOPipeBootstrap(validatingGroup: eventLoop), pipe(&ends) == 0 else { return }
        let (input, output) = (ends[0], ends[1])
        bootstrap
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(self) }
            }
            .takingOwnershipOfDescriptors(input: input, output: output)
            .whenFailure { _ in
                Foundation.close(input)
                Foundation.close(output)
            }
    }

    /// Runs the closure after the next look at the sockets. Only one can wait.
    ///
    /// - Returns: `false` without a pipe. The closure does not run then.
    func run(_ closure: @escaping @Sendable () -> Void) -> Bool {
        let pipe = state.withLock { state in
            if state.pipe != nil { state.closure = closure }
            return state.pipe
        }
        pipe?.writeAndFlush(Self.byte, promise: nil)
        return pipe != nil
    }

    func close() {
        let pipe = state.withLock { state in
            state.isClosed = true
            return state.pipe
        }
        pipe?.close(promise: nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        let isClosed = state.withLock { state in
            state.pipe = context.channel
            return state.isClosed
        }
        if isClosed { context.close(promise: nil) }
    }

    /// Runs the closure that waits. Otherwise the jobs of this event loop would never run again.
    func channelInactive(context: ChannelHandlerContext) {
        state.withLock { $0.pipe = nil }
        if let closure = takeClosure() { context.eventLoop.execute(closure) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        takeClosure()?()
    }

    private func takeClosure() -> (@Sendable () -> Void)? {
        state.withLock { state in
            defer { state.closure = nil }
            return state.closure
        }
    }
}

/// What a thread does once after it has run many jobs, instead of once for each job.
final class ThreadTick: Sendable {
    private struct State {
        var isRunningJobs = false
        var closures: [@Sendable () -> Void] = []
        var isResuming = false
        var sleeping: [EventLoopExecutor] = []
    }

    private static let ofThread = ThreadSpecificVariable<ThreadTick>()

    /// Only its thread has it. So the lock is always free.
    private let state = Mutex(State())

    private static var current: ThreadTick {
        if let tick = ofThread.currentValue { return tick }
        let tick = ThreadTick()
        ofThread.currentValue = tick
        return tick
    }

    /// Runs jobs of an event loop, and then what they have left for the end.
    static func run<Result>(_ jobs: () -> Result) -> Result {
        let tick = current
        tick.state.withLock { $0.isRunningJobs = true }
        let result = jobs()
        for closure in tick.endJobs() { closure() }
        return result
    }

    private func endJobs() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.isRunningJobs = false
            defer { state.closures = [] }
            return state.closures
        }
    }

    /// Runs the closure after the jobs of this thread; at once if it runs none.
    static func atEnd(_ closure: @escaping @Sendable () -> Void) {
        let isLeft = current.state.withLock { state in
            if state.isRunningJobs { state.closures.append(closure) }
            return state.isRunningJobs
        }
        if !isLeft { closure() }
    }

    /// Runs a closure that resumes tasks, and wakes their event loops after it.
    static func resuming(_ resume: () -> Void) {
        let tick = current
        tick.state.withLock { $0.isResuming = true }
        resume()
        for executor in tick.endResuming() { executor.wake() }
    }

    private func endResuming() -> [EventLoopExecutor] {
        state.withLock { state in
            state.isResuming = false
            defer { state.sleeping = [] }
            return state.sleeping
        }
    }

    /// Wakes the event loop of an executor, now or at the end of `resuming`.
    static func wake(_ executor: EventLoopExecutor) {
        let isLeft = current.state.withLock { state in
            if state.isResuming { state.sleeping.append(executor) }
            return state.isResuming
        }
        if !isLeft { executor.wake() }
    }
}

/// Passes work between event loops and the writer of a store, with one change of threads for many jobs.
package struct EventLoopHandover: Sendable {
    package init() {}

    package func afterTick(_ start: @escaping @Sendable () -> Void) { ThreadTick.atEnd(start) }

    package func resuming(_ resume: () -> Void) { ThreadTick.resuming(resume) }
}

/// The event loops of the process.
package enum EventLoops {
    /// Makes as many event loops as this process may use cores.
    ///
    /// SwiftNIO looks at control groups, but not at the cores that the process is bound to, as by `taskset`. With more event
    /// loops than cores, they only interrupt each other. Call this before the first event loop.
    package static func useAvailableCores() {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        NIOSingletons.groupLoopCountSuggestion = min(System.coreCount, status.flatMap(allowedCores) ?? .max)
    }

    /// Returns when each event loop of the process has run a task.
    package static func allAnswer() async {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try? await loop.submit {}.get()
        }
    }

    /// The number of bits in the mask `Cpus_allowed` of `/proc/PID/status` (proc_pid_status(5)). `nil` without a mask.
    static func allowedCores(_ status: String) -> Int? {
        let label = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(label) }) else { return nil }
        let mask = line.dropFirst(label.count).compactMap(\.hexDigitValue)
        let count = mask.reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }
}

/// Runs work of the background on an event loop of the process, as tasks of connections do.
///
/// An outgoing message waits about thirty times: for the database, its connection and its timers. On Swift's own threads,
/// each wait costs two changes of the thread. The work must not block for longer than a slice of `EventLoopExecutor`.
package enum EventLoopWork {
    /// Runs the work, and the child tasks that it starts, on one event loop.
    package static func run(_ work: @Sendable () async -> Void) async {
        await withTaskExecutorPreference(EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())) {
            await work()
        }
    }

    /// Waits a number of seconds with a timer of the event loop. Throws when cancelled.
    ///
    /// That of a task leaves its timer behind when it is cancelled, and the timer wakes two threads when it ends. Each message
    /// cancels one of 45 seconds.
    package static func sleep(seconds: Int) async throws {
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(Int64(max(seconds, 0)))) {}
        try await withTaskCancellationHandler {
            do {
                try await timer.futureResult.get()
            } catch {
                // A timer fails only when it is cancelled.
                throw CancellationError()
            }
        } onCancel: {
            timer.cancel()
        }
    }
}

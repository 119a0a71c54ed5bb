import NIOPosix
import Synchronization

/// What a thread does once after it has run many jobs, instead of once for each job.
final class ThreadTurn: Sendable {
    private struct State {
        var isRunningJobs = false
        var closures: [@Sendable () -> Void] = []
        var isResuming = false
        var sleeping: [EventLoopExecutor] = []
    }

    private static let ofThread = ThreadSpecificVariable<ThreadTurn>()

    /// Only its thread has it. So the lock is always free.
    private let state = Mutex(State())

    private static var current: ThreadTurn {
        if let turn = ofThread.currentValue { return turn }
        let turn = ThreadTurn()
        ofThread.currentValue = turn
        return turn
    }

    /// Runs jobs of an event loop, and then what they have left for the end.
    static func run<Result>(_ jobs: () -> Result) -> Result {
        let turn = current
        turn.state.withLock { $0.isRunningJobs = true }
        let result = jobs()
        for closure in turn.endJobs() { closure() }
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
        let turn = current
        turn.state.withLock { $0.isResuming = true }
        resume()
        for executor in turn.endResuming() { executor.wake() }
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

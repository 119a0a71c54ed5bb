internal import NIOCore
internal import NIOPosix
internal import SessionDomain
internal import Synchronization

/// A time limit for work, on the machine's monotonic clock.
package enum Deadline {
    /// Longer limits are shortened to one hour.
    private static let maximumSeconds = 3600

    static func after(seconds: Int) -> NIODeadline {
        .now() + .seconds(Int64(min(max(seconds, 0), maximumSeconds)))
    }

    /// Runs the work and cancels it after a number of seconds.
    ///
    /// - Throws: `EgressError.timedOut` when the time is over, or the error of the work.
    package static func run<Answer: Sendable>(
        seconds: Int, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await run(until: after(seconds: seconds), on: MultiThreadedEventLoopGroup.singleton.next(), work)
    }

    /// Runs the work and cancels it at the deadline.
    ///
    /// - Throws: `EgressError.timedOut` at the deadline, or the error of the work.
    static func run<Answer: Sendable>(
        until deadline: NIODeadline, on eventLoop: any EventLoop,
        _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await wait(until: deadline, on: eventLoop)
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else { throw EgressError.timedOut }
            return answer
        }
    }

    private static func wait(until deadline: NIODeadline, on eventLoop: any EventLoop) async throws {
        let timer = eventLoop.scheduleTask(deadline: deadline) {}
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

/// A continuation that is resumed by a result or by cancellation, whichever comes first. Later results are ignored.
package final class CancellableContinuation<Value: Sendable>: Sendable {
    private enum State {
        case new
        case awaited(CheckedContinuation<Value, any Error>)
        case finished
    }

    private let state = Mutex(State.new)

    /// Waits for the result, or throws when the task is cancelled.
    ///
    /// - Parameter start: Starts the work. The work calls `resume(with:)` from any thread.
    package static func wait(_ start: (CancellableContinuation) -> Void) async throws -> Value {
        let waiter = CancellableContinuation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.store(continuation)
                start(waiter)
            }
        } onCancel: {
            waiter.cancel()
        }
    }

    package var isAwaited: Bool {
        state.withLock { state in
            if case .awaited = state { true } else { false }
        }
    }

    /// Stores the continuation, or resumes it if the task is already cancelled.
    private func store(_ continuation: CheckedContinuation<Value, any Error>) {
        let isFinished = state.withLock { state in
            if case .finished = state { return true }
            state = .awaited(continuation)
            return false
        }
        if isFinished { continuation.resume(throwing: CancellationError()) }
    }

    /// - Returns: Whether the waiting task gets this result.
    @discardableResult
    package func resume(with result: Result<Value, any Error>) -> Bool {
        let before = state.withLock { state in
            defer { state = .finished }
            return state
        }
        guard case .awaited(let continuation) = before else { return false }
        continuation.resume(with: result)
        return true
    }

    func cancel() { resume(with: .failure(CancellationError())) }
}

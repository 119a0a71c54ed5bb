internal import Synchronization

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

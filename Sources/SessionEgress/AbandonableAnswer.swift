internal import Synchronization

/// An answer that one task waits for and may stop waiting for; whatever comes second is dropped.
final class AbandonableAnswer<Value: Sendable>: Sendable {
    private enum State {
        case new
        case awaited(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.new)

    /// Waits for the answer that somebody was asked for, or for the task's cancellation.
    ///
    /// - Parameter ask: Starts the work, which gives the answer whenever it likes.
    static func wait(_ ask: (AbandonableAnswer) -> Void) async throws -> Value {
        let answer = AbandonableAnswer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.expect(continuation)
                ask(answer)
            }
        } onCancel: {
            answer.cancel()
        }
    }

    var isAwaited: Bool {
        state.withLock { state in
            if case .awaited = state { true } else { false }
        }
    }

    /// Notes who waits. After `cancel` there is nothing to wait for.
    private func expect(_ continuation: CheckedContinuation<Value, any Error>) {
        let isOver = state.withLock { state in
            if case .over = state { return true }
            state = .awaited(continuation)
            return false
        }
        if isOver { continuation.resume(throwing: CancellationError()) }
    }

    func give(_ result: Result<Value, any Error>) {
        let before = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .awaited(let continuation) = before { continuation.resume(with: result) }
    }

    func cancel() { give(.failure(CancellationError())) }
}

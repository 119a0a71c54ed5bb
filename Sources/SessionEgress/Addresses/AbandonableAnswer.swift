internal import Synchronization

/// An answer that one task waits for and may stop waiting for; whatever comes second is dropped.
final class AbandonableAnswer<Value: Sendable>: Sendable {
    private enum State {
        case new
        case awaited(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.new)

    var isAwaited: Bool {
        state.withLock { state in
            if case .awaited = state { true } else { false }
        }
    }

    /// Hands over who waits. After `cancel` there is nothing to wait for.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
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

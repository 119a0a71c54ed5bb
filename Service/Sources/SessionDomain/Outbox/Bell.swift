internal import Synchronization

/// Wakes one sleeper. A ring before the sleeper waits is not lost, because rings are counted.
final class Bell: Sendable {
    private struct State {
        var rings = 0
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// The number of rings so far.
    var rings: Int { state.withLock(\.rings) }

    func ring() { wake { $0.rings += 1 } }

    /// Returns when the bell has rung more often than `count` times, or when the task is cancelled.
    func wait(beyond count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    guard state.rings <= count, !Task.isCancelled else { return true }
                    state.sleeper = continuation
                    return false
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            wake { _ in }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let sleeper = state.withLock { state in
            change(&state)
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume()
    }
}

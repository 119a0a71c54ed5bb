import Synchronization

extension TestService {
    /// A response that the test holds back, so that it can act while a call is in progress.
    public final class HeldAnswer: Sendable {
        private let arrival = Gate()
        private let departure = Gate()

        init() {}

        /// Waits until the service has sent the response.
        public func arrived() async { await arrival.pass() }

        /// Passes the response to the client, now or as soon as it arrives.
        public func release() { departure.open() }

        /// Suspends the caller until the release, or until the caller's task is cancelled.
        func wait() async {
            arrival.open()
            await departure.pass()
        }
    }
}

/// Suspends callers until it is opened. It never closes again.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the gate is open, or when the caller's task is cancelled.
    func pass() async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    // The cancellation handler may have run already, and found no continuation to resume.
                    guard !state.isOpen, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}

import Synchronization

/// What a server has seen. Tests wait for it instead of for some time.
final class SeenTraffic: Sendable {
    struct Seen: Sendable {
        var connections = 0
        var closedConnections = 0
        /// Heads and bodies, as they arrived.
        var requests: [String] = []
    }

    private struct State {
        var seen = Seen()
        var waiting: [(condition: @Sendable (Seen) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: Seen { state.withLock(\.seen) }

    func note(_ change: (inout Seen) -> Void) {
        let ready = state.withLock { state in
            change(&state.seen)
            let seen = state.seen
            let ready = state.waiting.filter { $0.condition(seen) }.map(\.continuation)
            state.waiting.removeAll { $0.condition(seen) }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }

    func wait(until condition: @escaping @Sendable (Seen) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if condition(state.seen) { return true }
                state.waiting.append((condition, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}

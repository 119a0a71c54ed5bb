internal import Synchronization

/// The deliveries of a courier that are in progress: how many per lane, and who waits for their end.
@available(service, *)
final class Workers<ID: Hashable & Sendable>: Sendable {
    private struct State {
        var busy: [ID: Int] = [:]
        var total = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Reserves places for work that is due.
    ///
    /// - Parameters:
    ///   - width: The number of places of one lane.
    ///   - capacity: The number of places of all lanes.
    /// - Returns: A lane for each place.
    func reserve<Lane: Identifiable & Sendable>(
        for due: [(lane: Lane, count: Int)], width: Int, capacity: Int
    ) -> [Lane] where Lane.ID == ID {
        state.withLock { state in
            due.flatMap { lane, count in
                let free = min(count, width - state.busy[lane.id, default: 0], capacity - state.total)
                guard free > 0 else { return [Lane]() }
                state.busy[lane.id, default: 0] += free
                state.total += free
                return Array(repeating: lane, count: free)
            }
        }
    }

    /// Frees a place.
    func free(_ id: ID) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.busy[id] = state.busy[id].flatMap { $0 > 1 ? $0 - 1 : nil }
            state.total -= 1
            guard state.total == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when no place is taken.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.total > 0 { state.waiting.append(continuation) }
                return state.total == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}

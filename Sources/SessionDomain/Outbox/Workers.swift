internal import Synchronization

/// The deliveries of a courier that are in progress, the lanes that wait for a place, and who waits for the end.
@available(service, *)
final class Workers<Lane: Identifiable & Sendable>: Sendable where Lane.ID: Sendable {
    private struct State {
        var places: FairPlaces<Lane.ID>
        /// Lanes that have something due, longest due first, with the number of places that they can use.
        var wanted: [(lane: Lane, count: Int)] = []
        var settling: [CheckedContinuation<Void, Never>] = []

        mutating func want(_ lane: Lane, _ count: Int) {
            if let index = wanted.firstIndex(where: { $0.lane.id == lane.id }) {
                wanted[index] = (lane, count)
            } else {
                wanted.append((lane, count))
            }
        }

        mutating func take() -> Lane? {
            guard let id = places.take(for: wanted.lazy.map(\.lane.id)),
                let index = wanted.firstIndex(where: { $0.lane.id == id })
            else { return nil }
            defer {
                wanted[index].count -= 1
                if wanted[index].count <= 0 { wanted.remove(at: index) }
            }
            return wanted[index].lane
        }
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - width: The number of places of one lane.
    ///   - capacity: The number of places of all lanes.
    init(width: Int, capacity: Int) {
        state = Mutex(State(places: FairPlaces(width: width, capacity: capacity)))
    }

    /// Reserves places for work that is due.
    ///
    /// - Returns: A lane for each place.
    func reserve(for due: [(lane: Lane, count: Int)]) -> [Lane] {
        state.withLock { state in
            for (lane, count) in due { state.want(lane, count) }
            var lanes: [Lane] = []
            while let lane = state.take() { lanes.append(lane) }
            return lanes
        }
    }

    /// Frees a place after one delivery, and takes it for the lane whose turn it is.
    ///
    /// - Parameter goesOn: Whether the lane may have more that is due.
    /// - Returns: `nil` if no lane may have the place.
    func pass(from lane: Lane, goesOn: Bool) -> Lane? {
        change { state in
            state.places.free(lane.id)
            if !goesOn {
                state.wanted.removeAll { $0.lane.id == lane.id }
            } else if !state.wanted.contains(where: { $0.lane.id == lane.id }) {
                state.want(lane, 1)
            }
            return state.take()
        }
    }

    /// Frees a place.
    func free(_ lane: Lane) { change { $0.places.free(lane.id) } }

    /// Returns when no place is taken.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.places.total > 0 { state.settling.append(continuation) }
                return state.places.total == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, settled) = state.withLock { state in
            let result = change(&state)
            guard state.places.total == 0 else { return (result, [CheckedContinuation<Void, Never>]()) }
            defer { state.settling = [] }
            return (result, state.settling)
        }
        for continuation in settled { continuation.resume() }
        return result
    }
}

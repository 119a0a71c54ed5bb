internal import Synchronization

/// The deliveries of a courier that are in progress, the lanes that wait for a place, and who waits for the end.
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

        mutating func takeAll() -> [Lane] {
            var lanes: [Lane] = []
            while let lane = take() { lanes.append(lane) }
            return lanes
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
            return state.takeAll()
        }
    }

    /// Reserves places for one more parcel of each of these lanes.
    ///
    /// - Returns: A lane for each place.
    func reserve(adding written: [Lane]) -> [Lane] {
        guard !written.isEmpty else { return [] }
        return state.withLock { state in
            for lane in written { state.want(lane, 1 + (state.wanted.first { $0.lane.id == lane.id }?.count ?? 0)) }
            return state.takeAll()
        }
    }

    /// Takes a place for a lane, unless others wait.
    func takePlace(in lane: Lane) -> Bool {
        state.withLock { $0.wanted.isEmpty && $0.places.take(for: CollectionOfOne(lane.id)) != nil }
    }

    /// What is known about a lane after a delivery.
    enum Remainder {
        /// It may have more that is due.
        case some
        /// It stops.
        case none
        /// Nothing new.
        case asBefore
    }

    /// Frees a place after one delivery, and takes it for the lane whose turn it is.
    ///
    /// - Returns: `nil` if no lane may have the place.
    func pass(from lane: Lane, _ remainder: Remainder) -> Lane? {
        change { state in
            state.places.free(lane.id)
            switch remainder {
            case .none: state.wanted.removeAll { $0.lane.id == lane.id }
            case .some where !state.wanted.contains { $0.lane.id == lane.id }: state.want(lane, 1)
            case .some, .asBefore: break
            }
            return state.take()
        }
    }

    /// Frees a place. Returns whether lanes wait for one.
    @discardableResult
    func free(_ lane: Lane) -> Bool {
        change { state in
            state.places.free(lane.id)
            return !state.wanted.isEmpty
        }
    }

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

/// Shares places among lanes, so that lanes that keep their places for long leave some to the others.
///
/// A free place goes to the waiting lane that has the fewest, and of those to the one that has waited longest since it got
/// one. A lane that has places gets one more only while a reserve stays free: a quarter of all, and up to as much again
/// the more it has. So a lane that has none finds a place, unless there are almost as many busy lanes as places.
package struct FairPlaces<ID: Hashable & Sendable>: Sendable {
    private let width: Int
    private let capacity: Int
    private var taken: [ID: Int] = [:]
    private var grants = 0
    /// The number of the last grant of each lane.
    private var lastGrant: [ID: Int] = [:]
    /// The number of places that are taken.
    package private(set) var total = 0

    /// - Parameters:
    ///   - width: The number of places that one lane may have.
    ///   - capacity: The number of all places.
    package init(width: Int, capacity: Int) {
        self.width = width
        self.capacity = capacity
    }

    /// Takes a place for one of the lanes. Of equal ones, the first.
    ///
    /// - Returns: `nil` if no lane may have one now.
    package mutating func take(for waiting: some Sequence<ID>) -> ID? {
        let free = capacity - total
        var best: (lane: ID, taken: Int, lastGrant: Int)?
        for lane in waiting {
            let candidate = (lane, taken[lane, default: 0], lastGrant[lane, default: 0])
            guard candidate.1 < width, free > reserve(from: candidate.1) else { continue }
            if let best, (best.taken, best.lastGrant) <= (candidate.1, candidate.2) { continue }
            best = candidate
        }
        guard let lane = best?.lane else { return nil }
        grants += 1
        total += 1
        taken[lane, default: 0] += 1
        lastGrant[lane] = grants
        return lane
    }

    package mutating func free(_ lane: ID) {
        total -= 1
        taken[lane] = taken[lane].flatMap { $0 > 1 ? $0 - 1 : nil }
        if lastGrant.count > 8 * capacity { lastGrant = lastGrant.filter { taken[$0.key] != nil } }
    }

    /// The number of places that a lane with this many leaves free.
    private func reserve(from count: Int) -> Int { count == 0 ? 0 : capacity / 4 + capacity * count / (4 * width) }
}

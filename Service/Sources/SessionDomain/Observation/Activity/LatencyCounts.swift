/// How many calls took how long, in the buckets of the metric of request durations.
package struct LatencyCounts: Sendable, Equatable {
    /// The upper bounds of the buckets, in seconds. One more bucket has longer calls.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// One count for each bucket. They are not cumulative.
    package var counts: [Int]

    package init() { counts = Array(repeating: 0, count: Self.bounds.count + 1) }

    /// Counts a call that took this many seconds.
    mutating func count(_ seconds: Double) {
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }

    package var total: Int { counts.reduce(0, +) }

    /// The seconds within which this part of the calls was answered, such as 0.99. `nil`: there were no calls.
    ///
    /// The value is an estimate: within a bucket, calls count as evenly spread. Calls above the last bound count as that bound.
    package func quantile(_ part: Double) -> Double? {
        let total = total
        guard total > 0 else { return nil }
        let rank = part * Double(total)
        var below = 0
        for (index, bound) in Self.bounds.enumerated() {
            if Double(below + counts[index]) >= rank, counts[index] > 0 {
                let start = index == 0 ? 0 : Self.bounds[index - 1]
                return start + (bound - start) * (rank - Double(below)) / Double(counts[index])
            }
            below += counts[index]
        }
        return Self.bounds.last
    }
}

import Histogram

/// What one phase has measured. Times are in microseconds.
struct Tally: Sendable {
    private(set) var latencies: [String: Histogram<UInt64>] = [:]
    /// How often an operation ended with an unexpected status; 0 is a lost connection.
    private(set) var errors: [Int: Int] = [:]
    /// The body of the first unexpected response.
    private(set) var firstError: String?

    mutating func record(_ name: String, nanoseconds: UInt64) {
        latencies[name, default: Histogram(highestTrackableValue: 120_000_000)].record(max(1, nanoseconds / 1000))
    }

    mutating func fail(status: Int, _ detail: String) {
        errors[status, default: 0] += 1
        if firstError == nil { firstError = "\(status) \(detail)" }
    }

    func joined(_ other: Tally) -> Tally {
        var both = self
        both.latencies.merge(other.latencies) { first, second in
            var sum = first
            sum.add(second)
            return sum
        }
        both.errors.merge(other.errors, uniquingKeysWith: +)
        both.firstError = firstError ?? other.firstError
        return both
    }

    var completed: Int { latencies.values.reduce(0) { $0 + Int($1.totalCount) } }

    /// The latencies of all operations together.
    var all: Histogram<UInt64> {
        latencies.values.reduce(into: Histogram(highestTrackableValue: 120_000_000)) { $0.add($1) }
    }
}

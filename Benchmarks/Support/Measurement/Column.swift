import Benchmark

/// The columns that a comparison fills; `table.awk` knows them by these names.
enum Column {
    /// Nanoseconds a call.
    static let time = column("time")
    /// Nanoseconds a call of the reference.
    static let reference = column("reference")
    /// Thousandths: `time` by `reference`, of each sample.
    static let ratio = column("ratio")
    /// Allocations a call.
    static let allocations = column("allocations")
    /// Allocations a call of the reference.
    static let referenceAllocations = column("referenceAllocations")
    /// Bytes: the most in use at once while a sample ran.
    static let peak = column("peak")

    static let all = [time, reference, ratio, allocations, referenceAllocations, peak]

    private static func column(_ name: String) -> BenchmarkMetric { .custom(name, useScalingFactor: false) }
}

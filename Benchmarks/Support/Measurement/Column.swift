import Benchmark

/// The columns of a comparison. `table.awk` uses these names.
enum Column {
    /// Nanoseconds per call.
    static let time = column("time")
    /// Nanoseconds per call of the reference.
    static let reference = column("reference")
    /// `time` divided by `reference` for each sample, in thousandths.
    static let ratio = column("ratio")
    /// Allocations per call.
    static let allocations = column("allocations")
    /// Allocations per call of the reference.
    static let referenceAllocations = column("referenceAllocations")
    /// The peak of bytes in use during a sample.
    static let peak = column("peak")

    static let all = [time, reference, ratio, allocations, referenceAllocations, peak]

    private static func column(_ name: String) -> BenchmarkMetric { .custom(name, useScalingFactor: false) }
}

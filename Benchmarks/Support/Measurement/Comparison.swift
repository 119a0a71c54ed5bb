public import Benchmark

/// One call of the measured operation.
public typealias Call = () async throws -> Void

/// A benchmark that compares an operation with a reference.
///
/// Each sample measures both directly after each other, so that other load of the machine affects both.
public struct Comparison<Stage> {
    private let name: String
    private let calls: Int
    private let samples: Int
    private let stage: () async throws -> Stage
    private let reference: (Stage) async throws -> Call
    private let without: ((Stage) async throws -> Call)?
    private let subject: (Stage) async throws -> Call

    /// - Parameters:
    ///   - name: The name of the row in the table.
    ///   - calls: The number of calls per sample.
    ///   - samples: The maximum number of samples.
    ///   - stage: Prepares the benchmark once.
    ///   - reference: Makes the reference call. Its preparation is not measured.
    ///   - without: Makes a call without the part of interest. Its cost is subtracted from the subject's cost.
    ///   - subject: Makes the measured call.
    public init(
        _ name: String, calls: Int, samples: Int = 200, stage: @escaping () async throws -> Stage,
        reference: @escaping (Stage) async throws -> Call, without: ((Stage) async throws -> Call)? = nil,
        subject: @escaping (Stage) async throws -> Call
    ) {
        self.name = name
        self.calls = calls
        self.samples = samples
        self.stage = stage
        self.reference = reference
        self.without = without
        self.subject = subject
    }

    /// Registers the benchmark with the plugin.
    public func register() {
        let measure: (Benchmark, Stage) async throws -> Void = { benchmark, stage in
            let reference = try await Block.measure(calls) { try await self.reference(stage) }
            var without: Block?
            if let made = self.without { without = try await Block.measure(calls) { try await made(stage) } }
            let subject = try await Block.measure(calls) { try await self.subject(stage) }
            benchmark.record(subject, without: without, reference: reference)
        }
        Benchmark(
            name,
            configuration: .init(
                metrics: Column.all, warmupIterations: 3, maxDuration: .seconds(6), maxIterations: samples),
            closure: measure, setup: stage)
    }
}

extension Benchmark {
    fileprivate func record(_ subject: Block, without: Block?, reference: Block) {
        let time = subject.time - (without?.time ?? 0)
        measurement(Column.time, Int(time.rounded()))
        measurement(Column.reference, Int(reference.time.rounded()))
        measurement(Column.ratio, Int((time / reference.time * 1000).rounded()))
        if let allocations = subject.allocations, let ofReference = reference.allocations {
            measurement(Column.allocations, Int((allocations - (without?.allocations ?? 0)).rounded()))
            measurement(Column.referenceAllocations, Int(ofReference.rounded()))
        }
        if let peak = subject.peakBytes { measurement(Column.peak, peak) }
    }
}

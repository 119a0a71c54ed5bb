internal import CoreMetrics
internal import Synchronization

/// A counter that only grows.
final class CounterSeries: CounterHandler {
    private let value = Atomic<Int64>(0)

    var current: Int64 { value.load(ordering: .relaxed) }

    /// Ignores negative amounts: a counter that shrinks looks like a restart.
    func increment(by amount: Int64) { value.add(max(0, amount), ordering: .relaxed) }

    func reset() { value.store(0, ordering: .relaxed) }
}

/// A value that goes up and down.
final class GaugeSeries: MeterHandler {
    private let value = Mutex(0.0)

    var current: Double { value.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
}

/// How many values are at most each bound.
final class HistogramSeries: RecorderHandler {
    struct State {
        /// One count for each bound, and one for larger values. They are not cumulative.
        var counts: [UInt64]
        var sum = 0.0
    }

    let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var current: State { state.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }
}

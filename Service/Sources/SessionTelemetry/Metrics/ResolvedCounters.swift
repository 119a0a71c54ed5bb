internal import CoreMetrics
internal import SessionDomain
internal import Synchronization

/// A counter for each case of an enum, made once.
struct EnumCounters<Key: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let counters: [Key: Counter]

    init(_ metric: MetricDescription, _ factory: any MetricsFactory) {
        let pairs = Key.allCases.map { key in
            let dimensions = Array(zip(metric.labels, [key.rawValue]))
            return (key, Counter(label: metric.name, dimensions: dimensions, factory: factory))
        }
        counters = Dictionary(uniqueKeysWithValues: pairs)
    }

    func increment(_ key: Key) { counters[key]?.increment() }
}

/// Counters by names that the source code contains. Not for calls that succeed.
final class NamedCounters: Sendable {
    private struct Key: Hashable {
        let metric: String
        let values: [String]
    }

    private let factory: any MetricsFactory
    private let counters = Mutex<[Key: Counter]>([:])

    /// - Parameter known: The series that exist from the start, with the values of their labels.
    init(_ factory: any MetricsFactory, _ known: [(metric: MetricDescription, values: [String])]) {
        self.factory = factory
        for series in known { _ = counter(series.metric, series.values) }
    }

    func increment(_ metric: MetricDescription, _ values: [String]) {
        counter(metric, values).increment()
    }

    private func counter(_ metric: MetricDescription, _ values: [String]) -> Counter {
        counters.withLock { counters in
            let key = Key(metric: metric.name, values: values)
            if let counter = counters[key] { return counter }
            let counter = Counter(
                label: metric.name, dimensions: Array(zip(metric.labels, values)), factory: factory)
            counters[key] = counter
            return counter
        }
    }
}

/// The counter and the histogram of each route, found with one look-up.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Series {
        let counter: Counter
        let duration: Recorder
    }

    private let factory: any MetricsFactory
    private let series = Mutex<[Key: Series]>([:])

    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func count(_ request: ServedRequest) {
        // A caller can invent methods.
        let method = Self.methods.contains(request.method) ? request.method : "other"
        let key = Key(route: request.route, method: method, status: request.status)
        let series = series.withLock { known in
            if let series = known[key] { return series }
            let dimensions = [("route", key.route), ("method", method), ("status", String(key.status))]
            let new = Series(
                counter: Counter(label: MetricCatalogue.requests.name, dimensions: dimensions, factory: factory),
                duration: Recorder(
                    label: MetricCatalogue.requestDuration.name, dimensions: [("route", key.route)], aggregate: true,
                    factory: factory))
            known[key] = new
            return new
        }
        series.counter.increment()
        series.duration.record(request.seconds)
    }
}

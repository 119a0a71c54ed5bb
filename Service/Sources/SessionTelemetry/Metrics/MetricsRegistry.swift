package import CoreMetrics
internal import Synchronization

/// Keeps the metrics of the process for Prometheus: a factory of swift-metrics, and the text of `/metrics`.
///
/// It exports the metrics that it was given, and ignores all others. A metric has at most 2000 combinations of labels. What
/// comes later is counted under the label value `other`.
package final class MetricsRegistry: MetricsFactory {
    private enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)
    }

    private struct Family {
        let description: MetricDescription
        var series: [[String]: Series] = [:]
    }

    static let maximumSeries = 2000

    private let families: Mutex<[String: Family]>
    private let order: [String]

    package init(_ metrics: [MetricDescription] = MetricCatalogue.all) {
        order = metrics.map(\.name).sorted()
        let pairs = metrics.map { ($0.name, Family(description: $0)) }
        families = Mutex(Dictionary(pairs) { first, _ in first })
    }

    /// The series of a metric, if it is known and has this kind and these labels.
    private func series(_ name: String, _ kind: String, _ dimensions: [(String, String)]) -> Series? {
        families.withLock { families in
            guard let description = families[name]?.description, description.kind.name == kind,
                dimensions.map(\.0) == description.labels
            else { return nil }
            var values = dimensions.map(\.1)
            if families[name]?.series[values] == nil, families[name]?.series.count ?? 0 >= Self.maximumSeries {
                values = values.map { _ in "other" }
            }
            if let known = families[name]?.series[values] { return known }
            let new: Series =
                switch description.kind {
                case .counter: .counter(CounterSeries())
                case .gauge: .gauge(GaugeSeries())
                case .histogram(let buckets): .histogram(HistogramSeries(bounds: buckets))
                }
            families[name]?.series[values] = new
            return new
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        if case .counter(let series)? = series(label, "counter", dimensions) { return series }
        return NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        if case .gauge(let series)? = series(label, "gauge", dimensions) { return series }
        return NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if case .histogram(let series)? = series(label, "histogram", dimensions) { return series }
        return NOOPMetricsHandler.instance
    }

    /// The service measures in seconds, with recorders.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    // Series live as long as the process: a counter that disappears looks like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The values of a counter, by the values of its labels.
    func counts(of metric: MetricDescription) -> [[String]: Int] {
        let series = families.withLock { $0[metric.name]?.series ?? [:] }
        return series.compactMapValues { series in
            guard case .counter(let counter) = series else { return nil }
            return Int(counter.current)
        }
    }

    /// The buckets of a histogram, by the values of its labels.
    func buckets(of metric: MetricDescription) -> [[String]: [Int]] {
        let series = families.withLock { $0[metric.name]?.series ?? [:] }
        return series.compactMapValues { series in
            guard case .histogram(let histogram) = series else { return nil }
            return histogram.current.counts.map { Int(clamping: $0) }
        }
    }

    /// The text of `/metrics`. Metrics and series are sorted. A metric without a series has its help and type only.
    package func exposition() -> String {
        let families = families.withLock { $0 }
        var text = ExpositionText()
        for name in order {
            guard let family = families[name] else { continue }
            text.begin(family.description)
            for (values, series) in family.series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                let labels = Array(zip(family.description.labels, values))
                switch series {
                case .counter(let counter): text.add(name, labels, Double(counter.current))
                case .gauge(let gauge): text.add(name, labels, gauge.current)
                case .histogram(let histogram):
                    text.add(name, labels, bounds: histogram.bounds, histogram.current)
                }
            }
        }
        return text.content
    }
}

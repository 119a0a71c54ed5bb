package import CoreMetrics
internal import SessionDomain
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

/// The series whose labels are known before anything happens.
///
/// They have the value 0 from the start. A series that begins with its first event begins with 1, and Prometheus sees no
/// increase: an alert would miss the event.
enum KnownSeries {
    typealias Series = (metric: MetricDescription, values: [String])

    /// The method of a login whose challenge is of an older version.
    static let unknownMethod = "unknown"

    static var all: [Series] { refusals + logins + limits + notices + messages }

    private static var refusals: [Series] {
        RefusalReason.all.flatMap { reason -> [Series] in
            let series = (MetricCatalogue.refusals, [reason.name])
            return reason.isAboutProof ? [series, (MetricCatalogue.rejectedProofs, [reason.name])] : [series]
        }
    }

    private static var logins: [Series] {
        let outcomes = [LoginResult.succeeded] + LoginFailure.allCases.map(LoginResult.failed)
        return (LoginMethod.allCases.map(\.rawValue) + [unknownMethod]).flatMap { method in
            outcomes.map { (MetricCatalogue.logins, [method, $0.name]) }
        }
    }

    private static var limits: [Series] {
        LimitName.allCases.flatMap { limit -> [Series] in
            let series = (MetricCatalogue.limits, [limit.rawValue])
            return limit.isOfMessages ? [series, (MetricCatalogue.budgets, [limit.rawValue])] : [series]
        }
    }

    private static var notices: [Series] {
        ServiceNotice.Kind.allCases.map { (MetricCatalogue.notices, [$0.rawValue]) }
    }

    private static var messages: [Series] { OTPLoginConfig.Channel.allCases.flatMap(messages) }

    private static func messages(_ channel: OTPLoginConfig.Channel) -> [Series] {
        let routes = channel.routeKinds.map(\.rawValue)
        let failures = routes.flatMap { route in SendingFailure.Stage.allCases.map { [route, $0.rawValue] } }
        let attempts = failures + [["", MessageFailure.configurationStage]]
        let ends = attempts + [["", MessageFailure.expiredStage]]
        return attempts.map { (MetricCatalogue.attemptsFailed, [channel.rawValue] + $0) }
            + MessagePurpose.allCases.flatMap { purpose -> [Series] in
                let labels = [channel.rawValue, purpose.rawValue]
                return [(MetricCatalogue.messagesQueued, labels)]
                    + routes.map { (MetricCatalogue.messagesSent, labels + [$0]) }
                    + ends.map { (MetricCatalogue.messagesFailed, labels + $0) }
            }
    }
}

/// Writes the text format of Prometheus, version 0.0.4.
struct ExpositionText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var content = ""

    mutating func begin(_ metric: MetricDescription) {
        let help = metric.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        content += "# HELP \(metric.name) \(help)\n# TYPE \(metric.name) \(metric.kind.name)\n"
    }

    mutating func add(_ name: String, _ labels: [(String, String)], _ value: Double) {
        content += "\(name)\(Self.text(labels)) \(Self.text(value))\n"
    }

    mutating func add(
        _ name: String, _ labels: [(String, String)], bounds: [Double], _ state: HistogramSeries.State
    ) {
        var total: UInt64 = 0
        for (bound, count) in zip(bounds.map(Self.text) + ["+Inf"], state.counts) {
            total += count
            add("\(name)_bucket", labels + [("le", bound)], Double(total))
        }
        add("\(name)_sum", labels, state.sum)
        add("\(name)_count", labels, Double(total))
    }

    private static func text(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    /// A label value on one line. Other control characters than the line feed have no escape, so they are replaced.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            case _ where scalar.properties.generalCategory == .control: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    static func text(_ value: Double) -> String {
        if value.rounded() == value, abs(value) < 1e15 { return String(Int64(value)) }
        return String(value)
    }
}

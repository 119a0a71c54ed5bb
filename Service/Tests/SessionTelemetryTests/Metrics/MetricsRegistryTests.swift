import CoreMetrics
import Testing

@testable import SessionTelemetry

@Suite("The registry of metrics, and the text of Prometheus")
struct MetricsRegistryTests {
    private let metrics = [
        MetricDescription("test_total", .counter, labels: ["a", "b"], "Counts\n\\."),
        MetricDescription("test_level", .gauge, "A level."),
        MetricDescription("test_seconds", .histogram(buckets: [0.1, 1]), labels: ["a"], "A time."),
    ]

    private func counter(_ registry: MetricsRegistry, _ a: String, _ b: String = "x") -> Counter {
        Counter(label: "test_total", dimensions: [("a", a), ("b", b)], factory: registry)
    }

    @Test("Counters, gauges and histograms are written with help, type and labels")
    func text() {
        let registry = MetricsRegistry(metrics)
        counter(registry, "2").increment()
        counter(registry, "1").increment(by: 3)
        counter(registry, "1").increment(by: -5)
        Meter(label: "test_level", factory: registry).set(2.5)
        let time = Recorder(label: "test_seconds", dimensions: [("a", "1")], aggregate: true, factory: registry)
        for value in [0.05, 0.1, 0.5, 7, .infinity, .nan] { time.record(value) }
        #expect(
            registry.exposition() == #"""
                # HELP test_level A level.
                # TYPE test_level gauge
                test_level 2.5
                # HELP test_seconds A time.
                # TYPE test_seconds histogram
                test_seconds_bucket{a="1",le="0.1"} 2
                test_seconds_bucket{a="1",le="1"} 3
                test_seconds_bucket{a="1",le="+Inf"} 4
                test_seconds_sum{a="1"} 7.65
                test_seconds_count{a="1"} 4
                # HELP test_total Counts\n\\.
                # TYPE test_total counter
                test_total{a="1",b="x"} 3
                test_total{a="2",b="x"} 1

                """#)
    }

    // Proves: A9
    @Test("A label value cannot begin a line, end its quotes or add a label")
    func escaping() {
        let registry = MetricsRegistry(metrics)
        counter(registry, "a\"} 1\nfake_total 7\r\u{1B}[2J\\").increment()
        let lines = registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 1)
        #expect(lines[0] == "test_total{a=\"a\\\"} 1\\nfake_total 7\u{FFFD}\u{FFFD}[2J\\\\\",b=\"x\"} 1")
    }

    // Proves: A9
    @Test("Metrics and labels that are not in the catalogue are not exported")
    func unknown() {
        let registry = MetricsRegistry(metrics)
        Counter(label: "other_total", factory: registry).increment()
        Counter(label: "test_total", dimensions: [("user", "usr_1")], factory: registry).increment()
        Counter(label: "test_total", factory: registry).increment()
        Meter(label: "test_total", dimensions: [("a", "1"), ("b", "2")], factory: registry).set(1)
        Timer(label: "test_seconds", dimensions: [("a", "1")], factory: registry).recordNanoseconds(1)
        let samples = registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples.isEmpty && !registry.exposition().contains("other_total"))
    }

    // Proves: A9
    @Test("The number of series of a metric is bounded; further ones are counted together")
    func bounded() {
        let registry = MetricsRegistry(metrics)
        for number in 0..<MetricsRegistry.maximumSeries + 50 { counter(registry, "\(number)").increment() }
        let lines = registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == MetricsRegistry.maximumSeries + 1)
        #expect(lines.contains(#"test_total{a="other",b="other"} 50"#))
    }

    @Test("The catalogue has the conventions of Prometheus")
    func conventions() {
        for metric in MetricCatalogue.all {
            #expect(metric.name.hasPrefix("prelude_session_") && metric.help.hasSuffix("."))
            #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter))
            #expect(!metric.labels.contains { ["app", "user", "address", "le"].contains($0) })
        }
        #expect(Set(MetricCatalogue.all.map(\.name)).count == MetricCatalogue.all.count)
    }

    @Test("The metrics of the process have values")
    func process() {
        let text = ProcessMetrics(startedAt: 17).exposition()
        #expect(text.contains("\nprocess_start_time_seconds 17\n"))
        #if os(Linux)
            for metric in ProcessMetrics.all { #expect(text.contains("\n\(metric.name) ")) }
            #expect(!text.contains("process_resident_memory_bytes 0\n"))
        #endif
    }
}

package import CoreMetrics
internal import Foundation
package import SessionDomain
internal import Synchronization

/// The metrics of the process itself, with the names of Prometheus' client libraries. Linux shows them in `/proc`; other
/// systems show the CPU time only.
package struct ProcessMetrics: Sendable {
    /// Seconds since 1970.
    private let startedAt: Double

    package init(startedAt: Double) { self.startedAt = startedAt }

    package static let all = [
        MetricDescription("process_cpu_seconds_total", .counter, "CPU time of the process."),
        MetricDescription("process_start_time_seconds", .gauge, "Start of the process, in seconds since 1970."),
        MetricDescription("process_resident_memory_bytes", .gauge, "Resident memory of the process."),
        MetricDescription("process_open_fds", .gauge, "Open file descriptors of the process."),
        MetricDescription("process_max_fds", .gauge, "Maximum number of open file descriptors."),
    ]

    package func exposition() -> String {
        var text = ExpositionText()
        for (metric, value) in zip(Self.all, [cpuSeconds, startedAt, residentBytes, openFiles, maximumFiles]) {
            guard let value else { continue }
            text.begin(metric)
            text.add(metric.name, [], value)
        }
        return text.content
    }

    private var cpuSeconds: Double? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private var residentBytes: Double? {
        #if os(Linux)
            guard let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " "),
                fields.count > 1, let pages = Double(fields[1])
            else { return nil }
            return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
        #else
            return nil
        #endif
    }

    private var openFiles: Double? {
        #if os(Linux)
            // One of them is the listing itself.
            return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count - 1) }
        #else
            return nil
        #endif
    }

    private var maximumFiles: Double? {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        return getrlimit(resource, &limit) == 0 ? Double(limit.rlim_cur) : nil
    }
}

/// Metrics that are read when Prometheus asks, so that nothing has to update them in between.
package final class PolledGauges: Sendable {
    /// Where the values come from. Each returns at once, on any thread.
    package struct Sources: Sendable {
        let loads: @Sendable () -> [ListenerLoad]
        let readiness: @Sendable () -> Readiness
        /// The lines of the log that were dropped since the start.
        let droppedLines: @Sendable () -> Int
        /// The size of the log of the database. `nil` without one.
        let databaseLogBytes: @Sendable () -> Int64?

        package init(
            loads: @escaping @Sendable () -> [ListenerLoad], readiness: @escaping @Sendable () -> Readiness,
            droppedLines: @escaping @Sendable () -> Int, databaseLogBytes: @escaping @Sendable () -> Int64?
        ) {
            self.loads = loads
            self.readiness = readiness
            self.droppedLines = droppedLines
            self.databaseLogBytes = databaseLogBytes
        }
    }

    private let sources: Sources
    private let connections: [ListenerLoad.Listener: Meter]
    private let requests: [RequestClass: Meter]
    private let ready: Meter
    private let checks: [Readiness.Check: Meter]
    private let databaseLogBytes: Meter
    private let droppedLines: Counter
    private let countedLines = Mutex(0)

    package init(factory: any MetricsFactory, sources: Sources) {
        func meters<Key: CaseIterable & RawRepresentable<String>>(_ metric: MetricDescription) -> [Key: Meter] {
            let pairs = Key.allCases.map { key in
                let dimensions = metric.labels.map { ($0, key.rawValue) }
                return (key, Meter(label: metric.name, dimensions: dimensions, factory: factory))
            }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
        self.sources = sources
        connections = meters(MetricCatalogue.connectionsOpen)
        requests = meters(MetricCatalogue.requestsInWork)
        ready = Meter(label: MetricCatalogue.ready.name, factory: factory)
        checks = meters(MetricCatalogue.healthCheckOK)
        databaseLogBytes = Meter(label: MetricCatalogue.databaseLogBytes.name, factory: factory)
        droppedLines = Counter(label: MetricCatalogue.droppedLines.name, factory: factory)
    }

    /// Reads all values.
    package func update() {
        let loads = sources.loads()
        for (listener, meter) in connections {
            meter.set(loads.filter { $0.listener == listener }.reduce(0) { $0 + $1.connections })
        }
        for (requestClass, meter) in requests { meter.set(loads.reduce(0) { $0 + ($1.requests[requestClass] ?? 0) }) }
        let readiness = sources.readiness()
        ready.set(readiness.isReady ? 1 : 0)
        for (check, meter) in checks { meter.set(readiness.reasons[check] == nil ? 1 : 0) }
        databaseLogBytes.set(sources.databaseLogBytes() ?? 0)
        let dropped = sources.droppedLines()
        // Two scrapes at the same time must not count a line twice.
        let new = countedLines.withLock { counted in
            defer { counted = max(counted, dropped) }
            return max(0, dropped - counted)
        }
        droppedLines.increment(by: new)
    }
}

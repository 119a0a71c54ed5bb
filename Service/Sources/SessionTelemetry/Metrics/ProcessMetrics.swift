internal import Foundation

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

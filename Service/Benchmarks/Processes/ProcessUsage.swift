import Foundation

/// What a process has used since its start. On Linux only; elsewhere all numbers are 0.
struct ProcessUsage {
    /// Seconds of all threads in user mode and in the kernel.
    var cpu = 0.0
    /// Context switches of the threads that exist: of a thread that waits, and of one that the kernel interrupts.
    var voluntary = 0.0
    var involuntary = 0.0
    /// Resident memory in MiB.
    var resident = 0.0

    /// - Parameter id: The id of a process.
    init(of id: Int32) {
        let folder = "/proc/\(id)"
        let stat = Self.text("\(folder)/stat")
        // The name of the program is in brackets and can contain spaces. The fields behind it are utime and stime.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        if fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) {
            cpu = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
        resident = Self.number("VmRSS:", in: Self.text("\(folder)/status")) / 1024
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")) ?? [] {
            let status = Self.text("\(folder)/task/\(thread)/status")
            voluntary += Self.number("\nvoluntary_ctxt_switches:", in: status)
            involuntary += Self.number("nonvoluntary_ctxt_switches:", in: status)
        }
    }

    /// CPU seconds of this process, to the nanosecond.
    static var ownCPU: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func number(_ name: String, in text: String) -> Double {
        guard let found = text.range(of: name) else { return 0 }
        let value = text[found.upperBound...].drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
        return Double(value) ?? 0
    }
}

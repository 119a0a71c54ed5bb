import Foundation
import NIOCore
import NIOPosix

/// The event loops of the process.
package enum EventLoops {
    /// Makes as many event loops as this process may use cores.
    ///
    /// SwiftNIO looks at control groups, but not at the cores that the process is bound to, as by `taskset`. With more event
    /// loops than cores, they only interrupt each other. Call this before the first event loop.
    package static func useAvailableCores() {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        NIOSingletons.groupLoopCountSuggestion = min(System.coreCount, status.flatMap(allowedCores) ?? .max)
    }

    /// Returns when each event loop of the process has run a task.
    package static func allAnswer() async {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try? await loop.submit {}.get()
        }
    }

    /// The number of bits in the mask `Cpus_allowed` of `/proc/PID/status` (proc_pid_status(5)). `nil` without a mask.
    static func allowedCores(_ status: String) -> Int? {
        let label = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(label) }) else { return nil }
        let mask = line.dropFirst(label.count).compactMap(\.hexDigitValue)
        let count = mask.reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }
}

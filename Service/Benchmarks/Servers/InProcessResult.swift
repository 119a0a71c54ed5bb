import NIOCore

/// Measures elapsed time and the CPU time of this process, with stops.
struct Stopwatch {
    private(set) var seconds = 0.0
    private(set) var cpu = 0.0
    private var begin: (time: UInt64, cpu: Double)?

    mutating func start() { begin = (NIODeadline.now().uptimeNanoseconds, ProcessUsage.ownCPU) }

    mutating func stop() {
        guard let begin else { return }
        seconds += Double(NIODeadline.now().uptimeNanoseconds - begin.time) / 1e9
        cpu += ProcessUsage.ownCPU - begin.cpu
        self.begin = nil
    }
}

/// One line of the output of `in-process`: a name, operations per second, and microseconds of CPU per operation.
struct InProcessResult {
    let name: String
    let perSecond: Double
    let cpuMicroseconds: Double

    init(_ name: String, _ count: Int, _ watch: Stopwatch) {
        self.name = name
        perSecond = Double(count) / watch.seconds
        cpuMicroseconds = watch.cpu * 1e6 / Double(count)
    }

    var line: String { "result \(name) \(perSecond) \(cpuMicroseconds)" }

    /// - Returns: `nil` for a line that is no result.
    init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 4, words[0] == "result", let rate = Double(words[2]), let cpu = Double(words[3]) else {
            return nil
        }
        (name, perSecond, cpuMicroseconds) = (String(words[1]), rate, cpu)
    }
}

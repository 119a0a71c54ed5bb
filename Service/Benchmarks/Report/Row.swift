import Foundation

/// One line of the table: a phase, or the median of its rounds.
struct Row {
    let name: String
    let connections: Int
    /// `closed`, or `open` with the rate of intended requests.
    let pace: String
    /// Successful operations per second.
    var rate = 0.0
    /// Latencies in milliseconds: p50, p90, p99, p99.9 and the maximum.
    var latencies = [Double](repeating: 0, count: 5)
    /// The ratio of p99 to p50.
    var tail = 0.0
    /// The server's CPU time per operation in microseconds, and its context switches per operation.
    var serverCPU = 0.0
    var voluntary = 0.0
    var involuntary = 0.0
    /// CPU seconds of the server in the whole phase.
    var serverSeconds = 0.0
    /// The generator's CPU time per operation in microseconds.
    var generatorCPU = 0.0
    /// Resident memory of the server at the end, in MiB.
    var resident = 0.0
    var errors: [Int: Int] = [:]
    /// p50 and p99 in milliseconds of each operation, if the phase has several.
    var parts: [String: [Double]] = [:]
    /// The part of one core that the generator has used.
    var generatorLoad = 0.0
    /// The part of one core that the server has used.
    var serverLoad = 0.0

    init(_ name: String, connections: Int, pace: String) {
        self.name = name
        self.connections = connections
        self.pace = pace
    }

    /// The median of each number, and all errors.
    ///
    /// - Parameter rounds: At least one.
    init(medianOf rounds: [Row]) {
        self = rounds[0]
        func median(_ number: (Row) -> Double) -> Double { Median.of(rounds.map(number)) }
        rate = median(\.rate)
        latencies = latencies.indices.map { index in median { $0.latencies[index] } }
        tail = median(\.tail)
        serverCPU = median(\.serverCPU)
        voluntary = median(\.voluntary)
        involuntary = median(\.involuntary)
        serverSeconds = median(\.serverSeconds)
        generatorCPU = median(\.generatorCPU)
        resident = median(\.resident)
        generatorLoad = median(\.generatorLoad)
        serverLoad = median(\.serverLoad)
        for name in parts.keys {
            parts[name] = [0, 1].map { index in median { $0.parts[name]?[index] ?? 0 } }
        }
        errors = rounds.reduce(into: [:]) { $0.merge($1.errors, uniquingKeysWith: +) }
    }

    static let heading =
        "scenario             conns  pace          rate/s    p50 ms    p90 ms    p99 ms  p99.9 ms    max ms  "
        + "srv cpu s  srv us/op  vol/op  inv/op  gen us/op  RSS MiB  errors"

    var line: String {
        let numbers = latencies.map { String(format: "%9.2f", $0) }.joined(separator: " ")
        return name.padding(toLength: 20, withPad: " ", startingAt: 0)
            + String(format: " %5d  ", connections) + pace.padding(toLength: 12, withPad: " ", startingAt: 0)
            + String(format: "%8.0f", rate) + " " + numbers
            + String(
                format: "  %9.2f  %9.0f  %6.2f  %6.2f  %9.0f  %7.1f  ", serverSeconds, serverCPU, voluntary,
                involuntary, generatorCPU, resident)
            + errorText
    }

    /// Further lines: the operations of a mix, and whether the generator was too slow.
    var notes: [String] {
        var notes = parts.sorted { $0.key < $1.key }.map { part in
            String(format: "%@, %@: p50 %.2f ms, p99 %.2f ms", name, part.key, part.value[0], part.value[1])
        }
        if generatorLoad > 0.9 {
            notes.append(
                String(
                    format: "warning: the generator used %.0f %% of its core in %@ with %d connections and limits it",
                    generatorLoad * 100, name, connections))
        }
        return notes
    }

    private var errorText: String {
        guard !errors.isEmpty else { return "none" }
        return errors.sorted { $0.key < $1.key }.map { "\($0.value)x\($0.key == 0 ? "lost" : "\($0.key)")" }
            .joined(separator: ",")
    }
}

enum Median {
    /// - Parameter values: At least one.
    static func of(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

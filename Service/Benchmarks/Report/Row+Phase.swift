import Foundation
import Histogram

extension Row {
    /// The numbers of one phase.
    ///
    /// - Parameters:
    ///   - server: What the server had used before and after the phase.
    ///   - generatorSeconds: CPU seconds of this process in the phase.
    init(
        _ name: String, _ phase: Phase, _ result: PhaseResult, server: (before: ProcessUsage, after: ProcessUsage),
        generatorSeconds: Double
    ) {
        let pace =
            switch phase.pace {
            case .closed, .once: "closed"
            case .open(let rate): String(format: "open %.0f", rate)
            }
        self.init(name, connections: phase.connections, pace: pace)
        let times = result.tally.all
        let completed = Double(max(1, result.tally.completed))
        rate = Double(result.tally.completed) / result.seconds
        latencies = [50, 90, 99, 99.9].map { Double(times.valueAtPercentile($0)) / 1000 }
        latencies.append(Double(times.totalCount > 0 ? times.max : 0) / 1000)
        tail = latencies[0] > 0 ? latencies[2] / latencies[0] : 0
        serverSeconds = server.after.cpu - server.before.cpu
        serverCPU = serverSeconds * 1e6 / completed
        voluntary = (server.after.voluntary - server.before.voluntary) / completed
        involuntary = (server.after.involuntary - server.before.involuntary) / completed
        generatorCPU = generatorSeconds * 1e6 / completed
        resident = server.after.resident
        errors = result.tally.errors
        generatorLoad = generatorSeconds / result.seconds
        serverLoad = serverSeconds / result.seconds
        if result.tally.latencies.count > 1 {
            parts = result.tally.latencies.mapValues { times in
                [50, 99].map { Double(times.valueAtPercentile($0)) / 1000 }
            }
        }
    }
}

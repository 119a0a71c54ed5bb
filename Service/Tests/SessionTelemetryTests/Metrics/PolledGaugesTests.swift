import SessionDomain
import Synchronization
import Testing

@testable import SessionTelemetry

@Suite("Metrics that are read when Prometheus asks")
struct PolledGaugesTests {
    private final class Values: Sendable {
        struct State {
            var loads: [ListenerLoad] = []
            var reasons: [Readiness.Check: String] = [:]
            var dropped = 0
            var logBytes: Int64?
        }

        let state = Mutex(State())

        var sources: PolledGauges.Sources {
            PolledGauges.Sources(
                loads: { self.state.withLock(\.loads) },
                readiness: { Readiness(reasons: self.state.withLock(\.reasons)) },
                droppedLines: { self.state.withLock(\.dropped) },
                databaseLogBytes: { self.state.withLock(\.logBytes) })
        }
    }

    private let registry = MetricsRegistry()
    private let values = Values()

    private func lines(_ gauges: PolledGauges) -> Set<String> {
        gauges.update()
        return Set(
            registry.exposition().split(separator: "\n").filter { $0.hasPrefix("prelude_session_") }
                .map { String($0.dropFirst(16)) })
    }

    @Test("Connections are those of each listener, and requests in work those of all")
    func loads() {
        let gauges = PolledGauges(factory: registry, sources: values.sources)
        #expect(
            lines(gauges).isSuperset(of: [
                #"connections_open{listener="apps"} 0"#, #"requests_in_work{class="read"} 0"#,
            ]))
        values.state.withLock {
            $0.loads = [
                ListenerLoad(.apps, connections: 7, requests: [.session: 2, .login: 1]),
                ListenerLoad(.management, connections: 3, requests: [.session: 1]),
            ]
        }
        #expect(
            lines(gauges).isSuperset(of: [
                #"connections_open{listener="apps"} 7"#, #"connections_open{listener="management"} 3"#,
                #"requests_in_work{class="session"} 3"#, #"requests_in_work{class="login"} 1"#,
                #"requests_in_work{class="change"} 0"#,
            ]))
        values.state.withLock { $0.loads = [] }
        #expect(lines(gauges).contains(#"connections_open{listener="apps"} 0"#))
    }

    @Test("A warning fails its check and leaves the node ready; a failing database does not")
    func readiness() {
        let gauges = PolledGauges(factory: registry, sources: values.sources)
        #expect(lines(gauges).contains("ready 1"))
        for check in Readiness.Check.allCases {
            #expect(lines(gauges).contains(#"health_check_ok{check="\#(check.rawValue)"} 1"#))
        }
        values.state.withLock { $0.reasons = [.disk: "full"] }
        #expect(lines(gauges).isSuperset(of: ["ready 1", #"health_check_ok{check="disk"} 0"#]))
        values.state.withLock { $0.reasons = [.database: "fails"] }
        #expect(
            lines(gauges).isSuperset(of: [
                "ready 0", #"health_check_ok{check="disk"} 1"#, #"health_check_ok{check="database"} 0"#,
            ]))
    }

    @Test("The size of the log of the database is a gauge, 0 without one")
    func databaseLog() {
        let gauges = PolledGauges(factory: registry, sources: values.sources)
        for (bytes, shown) in [(nil, 0), (67_108_865, 67_108_865), (4096, 4096)] as [(Int64?, Int)] {
            values.state.withLock { $0.logBytes = bytes }
            #expect(lines(gauges).contains("database_log_bytes \(shown)"))
        }
    }

    @Test("Dropped lines are a counter, which grows by what is new")
    func droppedLines() {
        let gauges = PolledGauges(factory: registry, sources: values.sources)
        for (dropped, counted) in [(0, 0), (5, 5), (5, 5), (9, 9)] {
            values.state.withLock { $0.dropped = dropped }
            #expect(lines(gauges).contains("log_lines_dropped_total \(counted)"))
        }
    }
}

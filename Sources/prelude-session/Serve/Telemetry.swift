import ArgumentParser
import CoreMetrics
import Foundation
import Logging
import SessionDomain
import SessionHTTP
import SessionTelemetry

/// Log, metrics and traces of this process. Nothing else in the program makes a logger or a registry.
@available(service, *)
struct Telemetry {
    let logger: Logger
    let observer: any ServiceObserver
    let controls: ProcessControls
    /// `nil`: traces are off.
    let traces: TraceExport?

    /// Makes the registry that of all libraries of the process, too.
    init(_ configuration: ServiceConfiguration) throws {
        let (level, lines) = (LogLevelSwitch(configuration.logLevel), StandardErrorLines())
        let now = ServiceEnvironment.live.now
        let logger = Logger(label: "prelude-session") { label in
            ServiceLogHandler(
                label: label, format: configuration.logFormat, level: level, now: { now().milliseconds },
                write: lines.write)
        }
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        let process = ProcessMetrics(startedAt: Double(now().milliseconds) / 1000)
        self.logger = logger
        let version = PreludeSessionCommand.configuration.version
        let observers: [any ServiceObserver] = [
            TrailObserver(), LogObserver(logger: logger), MetricsObserver(factory: registry, version: version),
        ]
        traces = try configuration.traces.map {
            TraceExport(
                $0, client: try configuration.makeCollectorClient(), version: version, observer: Observers(observers))
        }
        observer = Observers(observers, tracer: traces?.tracer)
        controls = ProcessControls(
            metrics: { registry.exposition() + process.exposition() }, logLevel: { level.level },
            setLogLevel: { level.level = $0 })
    }
}

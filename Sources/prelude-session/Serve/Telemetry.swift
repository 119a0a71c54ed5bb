import ArgumentParser
import CoreMetrics
import Foundation
import Logging
import SessionDomain
import SessionHTTP
import SessionTelemetry

/// Log and metrics of this process. Nothing else in the program makes a logger or a registry.
@available(service, *)
struct Telemetry {
    let logger: Logger
    let observer: any ServiceObserver
    let controls: ProcessControls
    let loads = LoadMonitor()

    /// Makes the registry that of all libraries of the process, too.
    init(_ configuration: ServiceConfiguration) {
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
        observer = Observers([
            TrailObserver(), LogObserver(logger: logger),
            MetricsObserver(factory: registry, version: PreludeSessionCommand.configuration.version),
        ])
        controls = ProcessControls(
            metrics: { registry.exposition() + process.exposition() }, logLevel: { level.level },
            setLogLevel: { level.level = $0 })
    }
}

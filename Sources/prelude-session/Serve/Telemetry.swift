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
    private let lines: LogLines

    /// Makes the registry that of all libraries of the process, too.
    init(_ configuration: ServiceConfiguration) {
        let (level, format) = (LogLevelSwitch(configuration.logLevel), configuration.logFormat)
        let now = ServiceEnvironment.live.now
        let lines = LogLines(write: LogFile.writeToStandardError) { count in
            format.line(
                of: LogRecord(
                    milliseconds: now().milliseconds, level: .warning, logger: "prelude-session",
                    message: "lines of the log were dropped: its reader is too slow",
                    metadata: [("count", .stringConvertible(count))]))
        }
        LogCrashSignals.install()
        let logger = Logger(label: "prelude-session") { label in
            ServiceLogHandler(
                label: label, format: format, level: level, now: { now().milliseconds }, write: lines.add)
        }
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        let process = ProcessMetrics(startedAt: Double(now().milliseconds) / 1000)
        self.logger = logger
        self.lines = lines
        observer = Observers([
            TrailObserver(), LogObserver(logger: logger),
            MetricsObserver(factory: registry, version: PreludeSessionCommand.configuration.version),
        ])
        controls = ProcessControls(
            metrics: { registry.exposition() + process.exposition() }, logLevel: { level.level },
            setLogLevel: { level.level = $0 })
    }

    /// Waits until the log is written. A log that has no reader ends the process after a pause.
    func flush() { lines.flush(seconds: 2) }
}

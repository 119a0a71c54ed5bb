import ArgumentParser
import CoreMetrics
import Foundation
import Logging
import SessionDomain
import SessionHTTP
import SessionTelemetry
import SessionWire

/// Log, metrics and traces of this process. Nothing else in the program makes a logger or a registry.
struct Telemetry {
    let logger: Logger
    let observer: any ServiceObserver
    /// `nil`: traces are off.
    let traces: TraceExport?
    let loads = LoadMonitor()
    /// What the graphs of the console show.
    let activity: ActivityRecorder
    private let registry = MetricsRegistry()
    private let lines: LogLines
    private let level: LogLevelSwitch
    private let process: ProcessMetrics

    /// Makes the registry that of all libraries of the process, too.
    init(_ configuration: ServiceConfiguration) throws {
        let (level, format) = (LogLevelSwitch(configuration.logLevel), configuration.logFormat)
        let now = ServiceEnvironment.live.now
        let hasPriority = LogPriority.isRead(
            stream: ProcessInfo.processInfo.environment["JOURNAL_STREAM"], descriptor: STDERR_FILENO)
        let lines = LogLines(write: LogFile.writeToStandardError) { count in
            format.line(
                of: LogRecord(
                    milliseconds: now().milliseconds, level: .warning, logger: "prelude-session",
                    message: "lines of the log were dropped: its reader is too slow or gone, or its disk is full",
                    metadata: [("count", .stringConvertible(count))]), hasPriority: hasPriority)
        }
        LogCrashSignals.install()
        // A log without a reader is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let logger = Logger(label: "prelude-session") { label in
            ServiceLogHandler(
                label: label, format: format, hasPriority: hasPriority, level: level, now: { now().milliseconds },
                write: lines.add)
        }
        MetricsSystem.bootstrap(registry)
        process = ProcessMetrics(startedAt: Double(now().milliseconds) / 1000)
        activity = ActivityRecorder(node: Self.hostName, startedAt: now())
        self.logger = logger
        self.lines = lines
        self.level = level
        let version = PreludeSessionCommand.configuration.version
        let observers: [any ServiceObserver] = [
            TrailObserver(), LogObserver(logger: logger), MetricsObserver(factory: registry, version: version),
            activity.apps,
        ]
        traces = try configuration.traces.map {
            TraceExport(
                $0, client: try configuration.makeCollectorClient(), version: version, observer: Observers(observers))
        }
        observer = Observers(observers, tracer: traces?.tracer)
    }

    /// What the management API shows and changes of this process.
    ///
    /// - Parameter logBytes: The size of the log of the database.
    func controls(health: HealthMonitor, logBytes: @escaping @Sendable () -> Int64?) -> ProcessControls {
        let gauges = PolledGauges(
            factory: registry,
            sources: PolledGauges.Sources(
                loads: { [loads] in loads.loads },
                readiness: {
                    // A process without health checks has no other reason to look. The next scrape has the result.
                    _ = health.check {}
                    return health.readiness
                }, droppedLines: { [lines] in lines.dropped }, databaseLogBytes: logBytes))
        return ProcessControls(
            metrics: { [registry, process] in
                gauges.update()
                return registry.exposition() + process.exposition()
            }, logLevel: { [level] in level.level }, setLogLevel: { [level] in level.level = $0 })
    }

    /// Reads the counters for the graphs, until the task is cancelled.
    func recordActivity(_ environment: ServiceEnvironment) async {
        let starts: [FrontendPath] = [.otp, .webLogin, .passwordLogin, .beginPasskeyLogin, .migration]
        let reader = ActivityReader(registry: registry, loginStarts: Set(starts.map(\.rawValue)))
        await activity.run(environment) { reader.totals() }
    }

    private static var hostName: String {
        // The last byte stays 0, because a name that is cut off has none.
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, 255) == 0 else { return "this node" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Waits until the log is written. A log that has no reader ends the process after a pause.
    func flush() { lines.flush(seconds: 2) }
}

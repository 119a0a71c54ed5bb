internal import Foundation
package import Logging
package import SessionDomain
internal import Synchronization

// The compiler finds `stat` in the first of these modules that any import of the target loads.
#if canImport(CoreFoundation)
    internal import CoreFoundation
#endif
#if canImport(CDispatch)
    internal import CDispatch
#endif
#if canImport(Glibc)
    internal import Glibc
#endif

/// Writes records as lines of text or JSON, at the level of the process.
package struct ServiceLogHandler: LogHandler {
    private let label: String
    private let format: LogFormat
    private let hasPriority: Bool
    private let level: LogLevelSwitch
    private let now: @Sendable () -> Int64
    private let write: @Sendable (String) -> Void

    package var metadata: Logger.Metadata = [:]

    /// The level of the process. A logger cannot have its own.
    package var logLevel: Logger.Level {
        get { level.level }
        set {}
    }

    /// - Parameters:
    ///   - hasPriority: Whether each line begins with its priority for the journal.
    ///   - now: Milliseconds since 1970.
    ///   - write: Receives each line, with its line feed.
    package init(
        label: String, format: LogFormat, hasPriority: Bool = false, level: LogLevelSwitch,
        now: @escaping @Sendable () -> Int64,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.format = format
        self.hasPriority = hasPriority
        self.level = level
        self.now = now
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        // Each request has a line. A dictionary of all entries would cost more than the line.
        var entries: [(key: String, value: Logger.MetadataValue)] = []
        entries.reserveCapacity(metadata.count + (event.metadata?.count ?? 0) + 1)
        if let error = event.error { entries.append(("error", "\(error)")) }
        func add(_ more: Logger.Metadata) {
            let known = entries.count
            for entry in more where !entries.prefix(known).contains(where: { $0.key == entry.key }) {
                entries.append(entry)
            }
        }
        if let own = event.metadata { add(own) }
        add(metadata)
        entries.sort { $0.key < $1.key }
        let record = LogRecord(
            milliseconds: now(), level: event.level, logger: label, message: event.message.description,
            metadata: entries)
        write(format.line(of: record, hasPriority: hasPriority))
    }
}

/// Writes notices, and failures that no response reports, to the log.
package struct LogObserver: ServiceObserver {
    private let logger: Logger

    package init(logger: Logger) { self.logger = logger }

    package func observe(_ occurrence: Occurrence) {
        switch occurrence {
        case .notice(let notice): logger.log(level: notice.isError ? .error : .warning, "\(notice)")
        case .failed(let work, let error):
            // A failing store has notices of its own, at most one per second.
            if error is StoreError { return }
            let text =
                switch work {
                case .housekeeping: "housekeeping"
                case .webhooks, .messages: "delivery of \(work.rawValue)"
                case .hashUpgrade: "upgrade of a password hash"
                }
            logger.error("\(text) failed", metadata: ["error": "\(error)"])
        default: break
        }
    }
}

/// The log level of the process. All loggers share it, so it can be changed while the service runs.
package final class LogLevelSwitch: Sendable {
    private let index: Atomic<Int>

    package init(_ level: Logger.Level) { index = Atomic(Self.index(of: level)) }

    package var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}

/// The priority before a line of the log, from which the journal gets the level of the line (sd-daemon(3)).
///
/// The journal removes it. So `journalctl -p warning` shows warnings and errors only.
package enum LogPriority {
    /// `<4>` for a warning.
    static func prefix(of level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }

    /// Whether a descriptor is the stream of the journal.
    ///
    /// - Parameter stream: `JOURNAL_STREAM`. A process whose output was redirected has it, too, so it must name the
    ///   device and the number of the file.
    package static func isRead(stream: String?, descriptor: Int32) -> Bool {
        var file = stat()
        guard let stream, fstat(descriptor, &file) == 0 else { return false }
        return stream == "\(file.st_dev):\(file.st_ino)"
    }
}

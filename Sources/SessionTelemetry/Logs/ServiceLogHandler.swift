package import Logging

/// Writes records as lines of text or JSON, at the level of the process.
@available(service, *)
package struct ServiceLogHandler: LogHandler {
    private let label: String
    private let format: LogFormat
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
    ///   - now: Milliseconds since 1970.
    ///   - write: Receives each line, with its line feed.
    package init(
        label: String, format: LogFormat, level: LogLevelSwitch, now: @escaping @Sendable () -> Int64,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.format = format
        self.level = level
        self.now = now
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var metadata = metadata
        if let own = event.metadata { metadata.merge(own) { _, new in new } }
        if let error = event.error { metadata["error"] = "\(error)" }
        let record = LogRecord(
            milliseconds: now(), level: event.level, logger: label, message: event.message.description,
            metadata: metadata.sorted { $0.key < $1.key })
        write(format.line(of: record))
    }
}

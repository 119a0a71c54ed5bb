package import Logging

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

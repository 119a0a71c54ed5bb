internal import Logging

/// How records are written: one line each, whatever they contain.
package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: time, level, logger, message, then `name=value`.
    case text
    /// One JSON object (RFC 8259) per line: `timestamp`, `level`, `logger`, `message`, and the metadata as further members.
    case json

    /// - Parameter hasPriority: Whether the line begins with its priority for the journal.
    package func line(of record: LogRecord, hasPriority: Bool = false) -> String {
        let line =
            switch self {
            case .text: Self.textLine(record)
            case .json: Self.jsonLine(record)
            }
        return hasPriority ? LogPriority.prefix(of: record.level) + line : line
    }

    private static func textLine(_ record: LogRecord) -> String {
        // Each request has a line, and bytes are added faster than texts.
        var line: [UInt8] = []
        line.reserveCapacity(320)
        func add(_ text: String) { line.append(contentsOf: text.utf8) }
        add(record.timestamp)
        add(" ")
        add(record.level.rawValue)
        add(" ")
        add(record.logger)
        add(": ")
        add(LogText.escaped(record.message))
        for (key, value) in record.metadata {
            add(" ")
            add(LogText.escaped(key))
            add("=")
            // A description of one text would be a copy of it.
            if case .string(let text) = value {
                add(LogText.value(text))
            } else {
                add(LogText.value(value.description))
            }
        }
        add("\n")
        return String(decoding: line, as: UTF8.self)
    }

    private static let standardMembers: Set = ["timestamp", "level", "logger", "message"]

    private static func jsonLine(_ record: LogRecord) -> String {
        var line = "{\"timestamp\":\"\(record.timestamp)\",\"level\":\"\(record.level)\",\"logger\":"
        line += "\(LogText.json(record.logger)),\"message\":\(LogText.json(record.message))"
        for (key, value) in record.metadata {
            // A second member with the same name would hide the first one.
            let name = standardMembers.contains(key) ? "_\(key)" : key
            line += ",\(LogText.json(name)):\(json(value))"
        }
        return line + "}\n"
    }

    private static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): LogText.json(text)
        case .stringConvertible(let number as Int): String(number)
        case .stringConvertible(let number as Double) where number.isFinite: String(number)
        case .stringConvertible(let other): LogText.json("\(other)")
        case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .dictionary(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(LogText.json($0.key)):\(json($0.value))" }
                .joined(separator: ",") + "}"
        }
    }
}

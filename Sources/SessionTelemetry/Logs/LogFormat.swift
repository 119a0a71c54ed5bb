internal import Logging

/// How records are written: one line each, whatever they contain.
@available(service, *)
package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: time, level, logger, message, then `name=value`.
    case text
    /// One JSON object (RFC 8259) per line: `timestamp`, `level`, `logger`, `message`, and the metadata as further members.
    case json

    package func line(of record: LogRecord) -> String {
        switch self {
        case .text: Self.textLine(record)
        case .json: Self.jsonLine(record)
        }
    }

    private static func textLine(_ record: LogRecord) -> String {
        var line = record.timestamp
        // Each request has a line, and interpolation makes a string for each part.
        line.reserveCapacity(256)
        line += " "
        line += record.level.rawValue
        line += " "
        line += record.logger
        line += ": "
        line += LogText.escaped(record.message)
        for (key, value) in record.metadata {
            line += " "
            line += LogText.escaped(key)
            line += "="
            line += LogText.value(value.description)
        }
        line += "\n"
        return line
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

package import Logging
internal import SessionDomain

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

/// One record of the log.
package struct LogRecord: Sendable {
    /// Milliseconds since 1970.
    package let milliseconds: Int64
    package let level: Logger.Level
    package let logger: String
    package let message: String
    /// In the order of its names.
    package let metadata: [(key: String, value: Logger.MetadataValue)]

    package init(
        milliseconds: Int64, level: Logger.Level, logger: String, message: String,
        metadata: [(key: String, value: Logger.MetadataValue)]
    ) {
        self.milliseconds = milliseconds
        self.level = level
        self.logger = logger
        self.message = message
        self.metadata = metadata
    }

    /// RFC 3339 in UTC, with milliseconds. Written by hand, because formatters of Foundation are slow.
    package var timestamp: String {
        let days = Self.floored(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.date(days: days)
        let rest = milliseconds - days * 86_400_000
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ number: Int64, _ width: Int, _ end: Unicode.Scalar) {
            text.append(contentsOf: CalendarTime.padded(Int(number), to: width).utf8)
            text.append(UInt8(ascii: end))
        }
        append(year, 4, "-")
        append(month, 2, "-")
        append(day, 2, "T")
        append(rest / 3_600_000, 2, ":")
        append(rest / 60_000 % 60, 2, ":")
        append(rest / 1000 % 60, 2, ".")
        append(rest % 1000, 3, "Z")
        return String(decoding: text, as: UTF8.self)
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    /// The date of a number of days since 1970-01-01. Years begin in March, so that the leap day is the last one; an era is
    /// 400 years.
    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floored(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

/// Escapes text for a line of the log, so that no text begins a line of its own or changes how a terminal shows the rest.
enum LogText {
    /// Characters that cannot be seen, or that change how others are shown, become `\u{…}`: control characters, line
    /// separators, changes of direction, fillers, spaces other than U+0020, and a mark that would combine with the character
    /// before the text.
    ///
    /// - Parameter isQuoted: Whether the text is between quotes, which it must not end.
    static func escaped(_ text: String, isQuoted: Bool = false) -> String {
        // Nearly all text.
        if !isQuoted, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        guard isQuoted || isMark(text.unicodeScalars.first) || text.unicodeScalars.contains(where: mustEscape) else {
            return text
        }
        var escaped = ""
        var isFirst = true
        // Scalars and not characters: a quote with an accent is another character, and still a quote.
        for scalar in text.unicodeScalars {
            defer { isFirst = false }
            if mustEscape(scalar) || (isFirst && isMark(scalar)) {
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                if isQuoted, scalar == "\"" || scalar == "\\" { escaped += "\\" }
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A value after `name=`: in quotes if it is not one word, so that a value cannot add names.
    static func value(_ text: String) -> String {
        // These characters are one byte each, and no part of others.
        let isWord = !text.isEmpty && text.utf8.allSatisfy { !isSeparator($0) }
        if isWord { return escaped(text) }
        return "\"\(escaped(text, isQuoted: true))\""
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "="), UInt8(ascii: "\\"): true
        default: false
        }
    }

    /// A JSON string (RFC 8259 §7). Everything that `escaped` escapes becomes `\uXXXX`.
    static func json(_ text: String) -> String {
        var json = "\""
        var isFirst = true
        for scalar in text.unicodeScalars {
            defer { isFirst = false }
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\r": json += "\\r"
            case "\t": json += "\\t"
            case _ where mustEscape(scalar) || (isFirst && isMark(scalar)):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }

    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        // Nearly all text is ASCII, and a look-up of properties costs more than the rest of a line.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .unassigned: true
        case .spaceSeparator: scalar != " "
        // The Braille pattern without dots looks like a space.
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
        }
    }

    /// Whether a character is shown on the one before it.
    private static func isMark(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, !scalar.isASCII else { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}

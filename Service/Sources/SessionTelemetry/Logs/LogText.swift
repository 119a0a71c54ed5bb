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

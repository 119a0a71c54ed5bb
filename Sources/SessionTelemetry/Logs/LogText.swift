/// Escapes text for a line of the log, so that no text begins a line of its own or changes how a terminal shows the rest.
@available(service, *)
enum LogText {
    /// Control characters, line separators and characters that change the direction of text become `\u{…}`.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mustEscape) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if mustEscape(scalar) {
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A value after `name=`: in quotes if it is not one word, so that a value cannot add names.
    static func value(_ text: String) -> String {
        let isWord =
            !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "=" && $0 != "\\" }
        if isWord { return escaped(text) }
        return "\"\(escaped(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")))\""
    }

    /// A JSON string (RFC 8259 §7). Everything that `escaped` escapes becomes `\uXXXX`.
    static func json(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\r": json += "\\r"
            case "\t": json += "\\t"
            case _ where mustEscape(scalar):
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
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }
}

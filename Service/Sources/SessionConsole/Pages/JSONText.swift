import SessionTokens

/// Writes JSON for people: sorted members, one per line.
enum JSONText {
    static func pretty(_ value: JSONValue, indent: String = "") -> String {
        let deeper = indent + "  "
        switch value {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }
                .map { "\(deeper)\(quoted($0.key)): \(pretty($0.value, indent: deeper))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let values) where !values.isEmpty:
            let lines = values.map { deeper + pretty($0, indent: deeper) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object: return "{}"
        case .array: return "[]"
        case .string(let text): return quoted(text)
        case .int(let number): return String(number)
        case .double(let number): return String(number)
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .null: return "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }
}

/// A value of a YAML document. Members keep the order of the document.
@available(service, *)
enum YAMLValue: Sendable, Equatable {
    struct Member: Sendable, Equatable {
        let name: String
        let value: YAMLValue
    }

    case text(String)
    case int(Int)
    case bool(Bool)
    case list([YAMLValue])
    case map([Member])

    subscript(_ name: String) -> YAMLValue? { members.first { $0.name == name }?.value }

    /// Empty for a value that is no map.
    var members: [Member] { if case .map(let members) = self { members } else { [] } }

    /// Empty for a value that is no list.
    var elements: [YAMLValue] { if case .list(let elements) = self { elements } else { [] } }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The value on one line, as a reader expects it: texts without quotes.
    var plain: String {
        switch self {
        case .text(let text): text
        case .int(let number): String(number)
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .list(let elements): elements.map(\.plain).joined(separator: ", ")
        case .map: json()
        }
    }

    /// JSON with the order of the document. A value that fits into a line is on one.
    func json(indent: String = "") -> String {
        let deeper = indent + "  "
        switch self {
        case .text(let text): return Self.quoted(text)
        case .int, .bool: return plain
        case .list(let elements):
            return Self.lines("[", elements.map { $0.json(indent: deeper) }, "]", indent: indent)
        case .map(let members):
            let parts = members.map { Self.quoted($0.name) + ": " + $0.value.json(indent: deeper) }
            return Self.lines("{", parts, "}", indent: indent)
        }
    }

    private static func lines(_ open: String, _ parts: [String], _ close: String, indent: String) -> String {
        let line = open + parts.joined(separator: ", ") + close
        if line.utf8.count + indent.utf8.count <= 76, !line.contains("\n") { return line }
        return "\(open)\n\(parts.map { indent + "  " + $0 }.joined(separator: ",\n"))\n\(indent)\(close)"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }
}

internal import Yams

/// A value of a YAML document. `Yams.Node` is not `Sendable`. Members keep the order of the document.
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

    /// - Throws: `YamlError` for a text that is no YAML, and for a map that repeats a key.
    init(reading text: String) throws { self.init(try Yams.compose(yaml: text) ?? "") }

    private init(_ node: Node) {
        switch node {
        case .mapping(let mapping):
            self = .map(mapping.map { Member(name: $0.key.string ?? "", value: YAMLValue($0.value)) })
        case .sequence(let sequence): self = .list(sequence.map { YAMLValue($0) })
        case .scalar(let scalar) where scalar.style == .plain && ["true", "false"].contains(scalar.string):
            self = .bool(scalar.string == "true")
        case .scalar(let scalar) where scalar.style == .plain:
            self = Int(scalar.string).map { .int($0) } ?? .text(scalar.string)
        case .scalar(let scalar): self = .text(scalar.string)
        // Compose replaces aliases by what they name.
        case .alias: self = .text("")
        }
    }

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

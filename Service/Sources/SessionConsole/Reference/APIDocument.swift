import SessionHTTP
internal import Yams

/// The description of both APIs, as the service serves it, grouped by tags.
struct APIDocument: Sendable {
    struct Group: Sendable {
        let name: String
        let description: String
        /// The name in the path of the page.
        let slug: String
        let calls: [APICall]
    }

    private static let maximumSearch = 100

    /// Read when the first page asks for it.
    static let served = Result { try APIDocument(OpenAPIRoute.text) }

    private let root: YAMLValue
    let introduction: String
    private(set) var groups: [Group] = []
    /// All calls, with the text in lower case in which words are searched.
    private var searched: [(call: APICall, content: String)] = []

    init(_ text: String) throws {
        let root = try YAMLValue(reading: text)
        self.root = root
        introduction = root["info"]?["description"]?.text ?? ""
        let document = self
        let calls = (root["paths"]?.members ?? []).flatMap { path in
            path.value.members.filter { APICall.methods.contains($0.name) }.map { method in
                APICall(
                    method.name.uppercased(), path.name, method.value, shared: path.value["parameters"], of: document)
            }
        }
        groups = (root["tags"]?.elements ?? []).map { tag in
            let name = tag["name"]?.text ?? ""
            return Group(
                name: name, description: tag["description"]?.text ?? "",
                slug: name.lowercased().replacing(" ", with: "-"), calls: calls.filter { $0.tag == name })
        }
        searched = groups.flatMap(\.calls).map { call in
            let content = "\(call.method) \(call.path) \(call.id) \(call.tag) \(call.summary) \(call.description)"
            return (call, content.lowercased())
        }
    }

    /// The value that a reference names, or the value itself.
    func resolved(_ value: YAMLValue) -> YAMLValue {
        guard let reference = value["$ref"]?.text, reference.hasPrefix("#/") else { return value }
        let found = reference.dropFirst(2).split(separator: "/").reduce(root) { $0[String($1)] ?? .map([]) }
        return resolved(found)
    }

    func securityScheme(_ name: String) -> YAMLValue? { root["components"]?["securitySchemes"]?[name] }

    /// The calls whose method, path, name or description contain all words of a text.
    ///
    /// - Parameter text: Only the first `maximumSearch` characters count: each word is searched in all calls.
    func calls(matching text: String) -> [APICall] {
        let words = Set(text.prefix(Self.maximumSearch).lowercased().split(separator: " "))
        return searched.filter { call in words.allSatisfy { call.content.contains($0) } }.map(\.call)
    }
}

/// One call of an API.
struct APICall: Sendable {
    static let methods: Set = ["get", "put", "post", "patch", "delete"]

    let method: String
    let path: String
    let id: String
    let tag: String
    let summary: String
    let description: String
    /// Those of the path and of the call, without references.
    let parameters: [YAMLValue]
    /// The media type of the request body, with its schema and example.
    let body: YAMLValue.Member?
    /// By status, without references.
    let responses: [YAMLValue.Member]
    /// The names of the security schemes that a caller needs together, one list for each way. Empty: anyone may call.
    let security: [[String]]

    init(_ method: String, _ path: String, _ value: YAMLValue, shared: YAMLValue?, of document: APIDocument) {
        (self.method, self.path) = (method, path)
        id = value["operationId"]?.text ?? ""
        tag = value["tags"]?.elements.first?.text ?? ""
        summary = value["summary"]?.text ?? ""
        description = value["description"]?.text ?? ""
        parameters = ((shared?.elements ?? []) + (value["parameters"]?.elements ?? [])).map(document.resolved)
        body = value["requestBody"].map(document.resolved)?["content"]?.members.first
        responses = (value["responses"]?.members ?? []).map {
            YAMLValue.Member(name: $0.name, value: document.resolved($0.value))
        }
        security = (value["security"]?.elements ?? []).map { $0.members.map(\.name) }
    }

    /// A command line that makes the call. Its variables are credentials, and parameters of the path and query.
    func curl(of document: APIDocument) -> String {
        var parts = [method == "GET" ? "curl" : "curl -X \(method)"]
        for name in security.first ?? [] { parts += credential(name, document) }
        let required = parameters.filter { $0["required"] == .bool(true) }
        for parameter in required where parameter["in"]?.text == "header" {
            let name = parameter["name"]?.text ?? ""
            parts.append("-H \"\(name): $\(Self.variable(name))\"")
        }
        if let body {
            parts.append("-H \"Content-Type: \(body.name)\"")
            if let example = body.value["example"] {
                parts.append("--data '\(example.json().replacing("'", with: "'\\''"))'")
            }
        }
        let address = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix("{") ? "$" + Self.variable(segment.dropFirst().dropLast()) : String(segment)
        }.joined(separator: "/")
        let query = required.filter { $0["in"]?.text == "query" }.map { parameter in
            let name = parameter["name"]?.text ?? ""
            return "\(name)=$\(Self.variable(name))"
        }
        parts.append("\"$URL\(address)\(query.isEmpty ? "" : "?" + query.joined(separator: "&"))\"")
        return parts.joined(separator: " \\\n  ")
    }

    private func credential(_ name: String, _ document: APIDocument) -> [String] {
        guard let scheme = document.securityScheme(name) else { return [] }
        let variable = Self.variable(name)
        switch (scheme["type"]?.text, scheme["in"]?.text) {
        case ("http", _):
            let kind = scheme["scheme"]?.text == "bearer" ? "Bearer" : scheme["scheme"]?.text ?? ""
            return ["-H \"Authorization: \(kind) $\(variable)\""]
        case (_, "cookie"): return ["--cookie \"\(scheme["name"]?.text ?? "")=$\(variable)\""]
        default: return ["-H \"\(scheme["name"]?.text ?? ""): $\(variable)\""]
        }
    }

    /// The name of a shell variable, such as `ACCESS_TOKEN` for `accessToken`.
    private static func variable(_ name: some StringProtocol) -> String {
        name.reduce(into: "") { text, character in
            if character.isUppercase, text.last?.isLowercase == true || text.last?.isNumber == true { text += "_" }
            text.append(character == "-" || character == "." ? "_" : character)
        }.uppercased()
    }
}

/// A member of a body, with the members inside it named by their path, such as `identifier.type` or `users[].id`.
struct APIMember: Sendable {
    let name: String
    let type: String
    let isRequired: Bool
    let description: String
    let limits: [String]

    /// All members of a schema, in the order of the document.
    static func all(of schema: YAMLValue, in document: APIDocument) -> [APIMember] {
        inside(schema, prefix: "", document, [])
    }

    /// - Parameter outer: The references that lead here, so that a schema that contains itself ends.
    private static func inside(
        _ schema: YAMLValue, prefix: String, _ document: APIDocument, _ outer: Set<String>
    ) -> [APIMember] {
        var outer = outer
        if let reference = schema["$ref"]?.text, !outer.insert(reference).inserted { return [] }
        let schema = document.resolved(schema)
        let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
        var members: [APIMember] = []
        for property in schema["properties"]?.members ?? [] {
            let name = prefix.isEmpty ? property.name : prefix + "." + property.name
            members.append(APIMember(name, property.value, isRequired: required.contains(property.name), document))
            members += inside(property.value, prefix: name, document, outer)
        }
        if let items = schema["items"] { members += inside(items, prefix: prefix + "[]", document, outer) }
        if let values = schema["additionalProperties"], !values.members.isEmpty {
            let name = prefix.isEmpty ? "*" : prefix + ".*"
            members.append(APIMember(name, values, isRequired: false, document))
            members += inside(values, prefix: name, document, outer)
        }
        return members
    }

    private init(_ name: String, _ schema: YAMLValue, isRequired: Bool, _ document: APIDocument) {
        let resolved = document.resolved(schema)
        (self.name, self.isRequired) = (name, isRequired)
        type = Self.type(resolved, document)
        description = schema["description"]?.text ?? resolved["description"]?.text ?? ""
        limits = Self.limits(resolved) + (resolved["items"].map { Self.limits(document.resolved($0)) } ?? [])
    }

    static func type(_ schema: YAMLValue, _ document: APIDocument) -> String {
        if let items = schema["items"] { return "array of " + type(document.resolved(items), document) }
        var text = schema["type"]?.text ?? (schema["type"]?.elements ?? []).map(\.plain).joined(separator: " or ")
        if text.isEmpty { text = schema["const"] == nil && schema["enum"] == nil ? "any value" : "string" }
        return schema["format"]?.text.map { "\(text) (\($0))" } ?? text
    }

    static func limits(_ schema: YAMLValue) -> [String] {
        var limits: [String] = []
        func range(_ least: String, _ most: String, _ unit: String) {
            switch (schema[least]?.plain, schema[most]?.plain) {
            case (let least?, let most?): limits.append("\(least) to \(most)\(unit)")
            case (let least?, nil): limits.append("at least \(least)\(unit)")
            case (nil, let most?): limits.append("at most \(most)\(unit)")
            case (nil, nil): break
            }
        }
        if let values = schema["enum"] {
            limits.append("one of " + values.elements.map { "`\($0.plain)`" }.joined(separator: ", "))
        }
        if let value = schema["const"] { limits.append("always `\(value.plain)`") }
        range("minimum", "maximum", "")
        range("minLength", "maxLength", " characters")
        range("minItems", "maxItems", " elements")
        if let pattern = schema["pattern"]?.text { limits.append("matches `\(pattern)`") }
        if let value = schema["default"] { limits.append("`\(value.plain)` without it") }
        if let examples = schema["examples"] {
            limits.append("such as " + examples.elements.map { "`\($0.plain)`" }.joined(separator: ", "))
        }
        return limits
    }
}

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

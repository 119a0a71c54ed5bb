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

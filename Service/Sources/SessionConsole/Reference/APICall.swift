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

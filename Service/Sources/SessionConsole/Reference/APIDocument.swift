import SessionHTTP

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

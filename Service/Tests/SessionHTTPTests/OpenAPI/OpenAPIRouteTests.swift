import Foundation
import Hummingbird
import Logging
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import Testing

/// The schemas of the document are compared with the body types, and with responses, in `Tests/System/api/test_openapi.py`.
@Suite("Description of the APIs (OpenAPI 3.1)")
struct OpenAPIRouteTests {
    private static func document() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/openapi.yaml"), encoding: .utf8)
    }

    /// The operations of the document, such as `GET /v2/session/apps`.
    private static func operations() throws -> Set<String> {
        let methods: Set = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
        var (path, found): (String?, Set<String>) = (nil, [])
        let lines = try document().split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.drop(while: { $0 != "paths:" }).dropFirst() {
            guard line.isEmpty || line.hasPrefix(" ") else { break }
            if let match = line.wholeMatch(of: #/  (\/.*):/#) {
                path = String(match.1)
            } else if let match = line.wholeMatch(of: #/    ([a-z]+):.*/#), methods.contains(String(match.1)), let path
            {
                found.insert("\(match.1.uppercased()) \(path)")
            }
        }
        return found
    }

    @Test(
        "Each listener serves docs/openapi.yaml as it is, without credentials",
        arguments: [
            ServedAPI.all, .frontend, .management,
        ])
    func served(_ api: ServedAPI) async throws {
        let world = try await EdgeWorld.shared.value
        let paths = buildRouter(service: world.service, edge: EdgeOptions(), api: api).routes.map(\.path.description)
        #expect(paths.contains("/openapi.yaml"))
        let response = try await world.call(.get, "/openapi.yaml", host: nil)
        #expect(response.status == 200 && response.header("content-type") == "application/yaml")
        #expect(response.text == (try Self.document()))
    }

    @Test("The document has exactly the routes of the router")
    func routes() async throws {
        let world = try await EdgeWorld.shared.value
        let controls = ProcessControls(metrics: { "" }, logLevel: { .info }, setLogLevel: { _ in })
        let routes = buildRouter(
            service: world.service, edge: EdgeOptions(), mailbox: world.mailbox, controls: controls
        ).routes
        // Preflight requests are part of the Fetch standard. The document describes them in one sentence.
        let served = Set(routes.filter { $0.method != .options }.map { "\($0.method.rawValue) \($0.path)" })
        let described = try Self.operations()
        #expect(served.count > 90)
        #expect(served.subtracting(described).sorted() == [], "served, and not in docs/openapi.yaml")
        #expect(described.subtracting(served).sorted() == [], "in docs/openapi.yaml, and not served")
    }
}

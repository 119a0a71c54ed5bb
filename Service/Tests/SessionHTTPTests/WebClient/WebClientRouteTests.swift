import HTTPTypes
import SessionHTTP
import Testing

@Suite("Client for browsers")
struct WebClientRouteTests {
    private static let latest = "/v1/prelude-session.js"
    private static let version = "/v1/prelude-session-1.3.0.js"

    @Test(
        "Every page may load the module, without an app, a credential or an allowed origin",
        arguments: [latest, version], [HTTPFields(), .of(("origin", "https://elsewhere.example"))])
    func module(_ path: String, _ headers: HTTPFields) async throws {
        let world = try await EdgeWorld.shared.value
        for host in [EdgeWorld.host, "unknown.example"] {
            let response = try await world.call(.get, path, headers, host: host)
            #expect(response.status == 200)
            #expect(response.text.contains("export class PreludeSessionClient"))
            #expect(response.header("content-type") == "text/javascript; charset=utf-8")
            #expect(response.header("access-control-allow-origin") == "*")
            #expect(response.header("access-control-allow-credentials") == nil)
            #expect(response.header("cross-origin-resource-policy") == "cross-origin")
            #expect(response.header("x-content-type-options") == "nosniff")
            #expect(response.header("set-cookie") == nil)
        }
    }

    @Test("Browsers ask for the newest version each time, and keep the one that its path names")
    func caching() async throws {
        let world = try await EdgeWorld.shared.value
        let latest = try await world.call(.get, Self.latest)
        let version = try await world.call(.get, Self.version)
        #expect(latest.header("cache-control") == "public, no-cache")
        #expect(version.header("cache-control") == "public, max-age=31536000, immutable")
        #expect(latest.text == version.text && latest.header("etag") == version.header("etag"))
    }

    @Test("The path names the version that the module exports")
    func versionNumber() async throws {
        let module = try await EdgeWorld.shared.value.call(.get, Self.latest).text
        let number = try #require(module.firstMatch(of: /export const version = "([0-9.]+)";/)?.1)
        #expect(Self.version == "/v1/prelude-session-\(number).js")
    }

    @Test("HEAD has the headers of GET and no body", arguments: [latest, version])
    func head(_ path: String) async throws {
        let world = try await EdgeWorld.shared.value
        let (get, head) = (try await world.call(.get, path), try await world.call(.head, path))
        #expect(head.status == 200 && head.text.isEmpty)
        #expect(head.header("content-length") == String(get.text.utf8.count))
        for name in ["content-type", "etag", "cache-control", "access-control-allow-origin"] {
            #expect(head.header(name) != nil && head.header(name) == get.header(name), "\(name)")
        }
    }

    @Test(
        "Who has the module gets 304 without it (RFC 9110 §13.1.2)",
        arguments: ["%", "W/%", #""other", %"#, #""other",W/% ,"third""#, "*"], [latest, version])
    func notModified(_ known: String, _ path: String) async throws {
        let world = try await EdgeWorld.shared.value
        let fresh = try await world.call(.get, path)
        let tag = try #require(fresh.header("etag"))
        for method in [HTTPRequest.Method.get, .head] {
            let response = try await world.call(
                method, path, .of(("if-none-match", known.replacing("%", with: tag))))
            #expect(response.status == 304 && response.text.isEmpty)
            for name in ["etag", "cache-control", "access-control-allow-origin", "cross-origin-resource-policy"] {
                #expect(response.header(name) == fresh.header(name), "\(name)")
            }
            #expect(response.header("content-type") == nil)
        }
    }

    @Test("Another tag gets the module", arguments: [#""other""#, "", "%x", "x%"])
    func otherTag(_ known: String) async throws {
        let world = try await EdgeWorld.shared.value
        let tag = try #require(try await world.call(.get, Self.latest).header("etag"))
        let headers = HTTPFields.of(("if-none-match", known.replacing("%", with: tag)))
        #expect(try await world.call(.get, Self.latest, headers).status == 200)
    }

    @Test(
        "Other versions and methods are not found",
        arguments: ["/v1/prelude-session-0.9.0.js", "/v2/prelude-session.js"])
    func others(_ path: String) async throws {
        let world = try await EdgeWorld.shared.value
        #expect(try await world.call(.get, path).status == 404)
        #expect(try await world.call(.post, Self.latest).status == 404)
    }
}

import HTTPTypes
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Requested host")
struct HostTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let forwarded: [String]
        let authority: String?
        let peer: String
        let host: String?

        init(
            _ name: String, forwarded: [String] = [], authority: String? = "a.example", peer: String = "10.0.0.1",
            _ host: String?
        ) {
            testDescription = name
            self.forwarded = forwarded
            self.authority = authority
            self.peer = peer
            self.host = host
        }
    }

    static let rows = [
        Row("the authority of the request", "a.example"),
        Row("an authority with a port", authority: "a.example:8443", "a.example:8443"),
        Row("X-Forwarded-Host of a trusted proxy", forwarded: ["b.example"], "b.example"),
        Row("X-Forwarded-Host without an authority", forwarded: ["b.example"], authority: nil, "b.example"),
        Row(
            "two X-Forwarded-Host headers of a direct client", forwarded: ["b.example", "c.example"],
            peer: "203.0.113.9", "a.example"),
        Row("X-Forwarded-Host of a direct client", forwarded: ["b.example"], peer: "203.0.113.9", "a.example"),
        Row("no authority", authority: nil, nil),
        Row("an empty authority", authority: "", nil),
        Row("an empty X-Forwarded-Host", forwarded: [""], nil),
        Row("255 bytes", authority: String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
        Row("256 bytes", authority: String(repeating: "a", count: 256), nil),
        Row("256 forwarded bytes", forwarded: [String(repeating: "b", count: 256)], nil),
    ]

    @Test("The host is the authority, or X-Forwarded-Host of a trusted proxy", arguments: rows)
    func host(_ row: Row) throws {
        let headers = HTTPFields.of(row.forwarded.map { ("x-forwarded-host", $0) })
        guard let host = row.host else {
            #expect(throws: Refusal.invalidField("Host", "is missing or longer than 255 bytes")) {
                try Client.test(headers, authority: row.authority, peer: row.peer)
            }
            return
        }
        #expect(try Client.test(headers, authority: row.authority, peer: row.peer).host == host)
    }

    // Proves: N7
    @Test(
        "A repeated X-Forwarded-Host of a trusted proxy is rejected, because the client may have sent one of them",
        arguments: [["b.example", "c.example"], ["b.example, c.example"], ["b.example", "b.example"]])
    func repeatedForwardedHost(values: [String]) {
        let headers = HTTPFields.of(values.map { ("x-forwarded-host", $0) })
        let error = Refusal.invalidField("X-Forwarded-Host", "must not be repeated; the proxy must replace it")
        #expect(throws: error) { try Client.test(headers, authority: "a.example", peer: "10.0.0.1") }
    }

    @Test(
        "The host chooses the app",
        arguments: [
            ("testapp.session.test", 200), ("TESTAPP.session.test:8443", 200), ("login.customer.example", 200),
            ("testapp.other.example", 200), ("unknown.session.test", 404), ("session.test", 404), ("[::1]", 404),
        ])
    func app(host: String, status: Int) async throws {
        let response = try await EdgeWorld.shared.value.call(.get, "/.well-known/jwks.json", host: host)
        #expect(response.status == status)
        if status == 404 { #expect(response.code == "not_found") }
    }

    @Test("A host that names no app is served by the default app")
    func defaultApp() async throws {
        let world = try await EdgeWorld(hasDefaultApp: true)
        #expect(try await world.call(.get, "/.well-known/jwks.json", host: "elsewhere.example").status == 200)
    }

    @Test("A request without a host is rejected")
    func noHost() async throws {
        let response = try await EdgeWorld.shared.value.call(.get, "/.well-known/jwks.json", host: nil)
        #expect(response.status == 400)
        #expect(response.code == "bad_request")
    }

    @Test(
        "X-Forwarded-Host chooses the app behind a trusted proxy only",
        arguments: [("10.0.0.1", 200), ("9.9.9.9", 404)])
    func forwardedApp(peer: String, status: Int) async throws {
        let world = try await EdgeWorld(edge: EdgeOptions(trustedProxies: [try #require(IPNetwork("10.0.0.0/8"))]))
        let response = try await world.call(
            .get, "/.well-known/jwks.json", .of(("x-forwarded-host", EdgeWorld.host)), host: "internal.example",
            peer: peer)
        #expect(response.status == status)
    }
}

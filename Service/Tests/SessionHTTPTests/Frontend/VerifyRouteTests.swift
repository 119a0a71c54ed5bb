import HTTPTypes
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("Forward authentication")
struct VerifyRouteTests {
    private static let sent = [
        "X-Forwarded-Method": "GET", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "api.example.com",
        "X-Forwarded-Uri": "/orders?x=1",
    ]

    private func original(_ name: String, _ value: String) throws -> OriginalRequest {
        let pairs = Self.sent.merging([name: value]) { _, new in new }.map { (name: $0.key, value: $0.value) }
        return try OriginalRequest(headers: .of(pairs))
    }

    @Test(
        "The URL is that of the headers, normalised",
        arguments: [
            ("X-Forwarded-Method", "PATCH", "https://api.example.com/orders"),
            ("X-Forwarded-Proto", "http", "http://api.example.com/orders"),
            ("X-Forwarded-Proto", "HTTPS", "https://api.example.com/orders"),
            ("X-Forwarded-Proto", "wss", "https://api.example.com/orders"),
            ("X-Forwarded-Proto", "ws", "http://api.example.com/orders"),
            ("X-Forwarded-Host", "API.example.com:8443", "https://api.example.com:8443/orders"),
            ("X-Forwarded-Host", "api.example.com:443", "https://api.example.com/orders"),
            ("X-Forwarded-Host", "[2001:db8::1]:8443", "https://[2001:db8::1]:8443/orders"),
            ("X-Forwarded-Uri", "/", "https://api.example.com/"),
            ("X-Forwarded-Uri", "/a?b=https://other.example/c", "https://api.example.com/a"),
        ])
    func url(name: String, value: String, url: String) throws {
        #expect(try original(name, value).targets.map(\.absoluteString) == [url])
    }

    @Test(
        "What a proxy cannot have received is refused with the name of the header",
        arguments: [
            ("X-Forwarded-Method", ["", "G T", "GET,POST", "GET/"]),
            (
                "X-Forwarded-Proto",
                ["", "ftp", "https:", "https://api.example.com/orders?", "https,http", "wsss", "httpſ"]
            ),
            (
                "X-Forwarded-Host",
                [
                    "", "a/b", "a?b", "a#b", "user@a", "a b", "a,b", "a\\b", "a:b", "a:0", "a:65536", "[::1", "a[b",
                    "a%2fb", "é.example", "https://a",
                ]
            ),
            ("X-Forwarded-Uri", [""]),
        ] as [(String, [String])])
    func refused(name: String, values: [String]) throws {
        for value in values {
            #expect("\(value)") {
                try original(name, value)
            } throws: { error in
                guard case Refusal.invalidField(let field, _) = error else { return false }
                return field == name
            }
        }
        let pairs = (Self.sent.map { (name: $0.key, value: $0.value) }) + [(name: name, value: Self.sent[name] ?? "")]
        #expect(throws: Refusal.self) { try OriginalRequest(headers: .of(pairs)) }
    }

    @Test(
        "A target of the client that is none belongs to no URL, so that no proof is for it",
        arguments: ["orders", "*", "http://api.example.com/orders", "/a b", "/é", "/a#b", "/%zz", "/a?é"])
    func noTarget(uri: String) throws {
        #expect(try original("X-Forwarded-Uri", uri).targets.isEmpty)
    }

    @Test(
        "Unknown, repeated and empty parameters are refused, so that none of them is ignored",
        arguments: [
            ("app=testapp&scope=orders:read&scope=admin", "scope"), ("app=testapp&scope=&scope=admin", "scope"),
            ("app=testapp&scopes=admin", "scopes"), ("app=testapp&Scope=admin", "Scope"),
            ("app=testapp&scope", "scope"),
            ("app=testapp&scope=", "scope"), ("app=testapp&scope=%20,", "scope"), ("app=testapp&app=testapp", "app"),
            ("app=", "app"), ("app", "app"), ("app=testapp&x=1", "x"),
        ])
    func parameters(query: String, field: String) async throws {
        let response = try await EdgeWorld.shared.value.call(.get, "/v1/session/verify?" + query)
        #expect(response.status == 400)
        #expect(response.members["field"]?.stringValue == field, "\(response.text)")
    }

    @Test("A client whose address is blocked gets 403, as the trusted proxy reports it")
    func blocked() async throws {
        let proxies = [try #require(IPNetwork("10.0.0.0/8"))]
        let world = try await EdgeWorld(edge: EdgeOptions(trustedProxies: proxies))
        _ = try await world.service.apps.block(
            .network("198.51.100.77/24"), seconds: 3600, note: nil, of: try TestApp.id())
        func status(_ address: String) async throws -> EdgeResponse {
            try await world.call(
                .get, "/v1/session/verify?app=testapp", .of(("x-forwarded-for", address)), peer: "10.0.0.1")
        }
        for address in ["198.51.100.7", "::ffff:198.51.100.7"] {
            let refused = try await status(address)
            #expect(refused.status == 403 && refused.code == "forbidden", "\(refused.text)")
        }
        #expect(try await status("198.51.101.7").status == 401)
        // Without the address of the client, it is the proxy that calls.
        #expect(try await status("unknown").status == 401)
    }
}

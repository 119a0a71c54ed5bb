import NIOHTTP1
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Host and target of a request")
struct RequestTargetTests {
    private func head(_ uri: String, hosts: [String], version: HTTPVersion = .http1_1) -> HTTPRequestHead {
        HTTPRequestHead(
            version: version, method: .GET, uri: uri, headers: HTTPHeaders(hosts.map { ("host", $0) }))
    }

    @Test(
        "A host that is repeated, missing or invalid is rejected (RFC 9112 §3.2)",
        arguments: [
            ["a", "b"], ["a", "a"], ["a", ""], [], ["a b"], ["a/b"], ["user@a"], ["a,b"], ["a?b"], ["a#b"], ["a\\b"],
            ["ä.example"], ["a\t"],
        ])
    func hosts(_ hosts: [String]) {
        #expect(throws: Refusal.self) { try RequestTarget.normalized(head("/health", hosts: hosts)) }
    }

    @Test(
        "A valid host is accepted",
        arguments: ["localhost", "a.example:8443", "[::1]:8080", "127.0.0.1", "", "xn--4ca.example", "a_b.example"])
    func host(_ host: String) throws {
        #expect(try RequestTarget.normalized(head("/health", hosts: [host])).uri == "/health")
    }

    @Test(
        "A target in absolute form that names the host becomes a path",
        arguments: [
            ("http://a.example/v1?x=y", "a.example", "/v1?x=y"), ("HTTP://A.EXAMPLE/v1", "a.example", "/v1"),
            ("http://a.example:80/", "a.example", "/"), ("https://a.example", "a.example:443", "/"),
            ("https://a.example:8443?x", "a.example:8443", "/?x"), ("http://[::1]:8080//v2", "[::1]:8080", "//v2"),
        ])
    func absolute(uri: String, host: String, path: String) throws {
        #expect(try RequestTarget.normalized(head(uri, hosts: [host])).uri == path)
    }

    @Test(
        "A target that names another host, or is no path or URL, is rejected (RFC 9112 §3.2.2)",
        arguments: [
            "http://b.example/", "http://a.example:81/", "https://a.example:80/", "http://a.example@b.example/",
            "http://b.example@a.example/", "http:///", "http://", "ftp://a.example/", "a.example/", "", "*", "?x",
            "http://a.example.b.example/", "http://a.example%2f/",
        ])
    func others(uri: String) {
        #expect(throws: Refusal.self) { try RequestTarget.normalized(head(uri, hosts: ["a.example"])) }
    }

    @Test("A method that is no token is rejected (RFC 9110 §9.1)", arguments: ["G(T", "a/b", "", "GÄ", "G T"])
    func methods(method: String) {
        var head = head("/", hosts: ["a"])
        head.method = .RAW(value: method)
        #expect(throws: Refusal.invalidField("the method", "must be a token")) { try RequestTarget.normalized(head) }
    }

    @Test("A target that is not ASCII, and a header with too many combining marks in a row, are rejected")
    func marks() throws {
        #expect(throws: Refusal.self) { try RequestTarget.normalized(head("/\u{301}", hosts: ["a"])) }
        for name in ["Origin", "Cookie", "Accept-Language", "X-Unknown"] {
            for (count, isValid) in [(128, true), (129, false)] {
                var head = head("/", hosts: ["a"])
                head.headers.add(name: name, value: "a" + String(repeating: "\u{316}", count: count))
                #expect(((try? RequestTarget.normalized(head)) != nil) == isValid, "\(name) \(count)")
            }
        }
    }

    // Proves: N8
    @Test("Transfer-Encoding needs HTTP/1.1 (RFC 9112 §6.1)")
    func transferEncoding() throws {
        for (version, isValid) in [(HTTPVersion.http1_0, false), (.http1_1, true)] {
            var head = head("/", hosts: ["a"], version: version)
            head.headers.add(name: "Transfer-Encoding", value: "chunked")
            #expect(((try? RequestTarget.normalized(head)) != nil) == isValid)
        }
    }

    @Test(
        "Transfer-Encoding is chunked and alone (RFC 9112 §6.1, §6.3)",
        arguments: ["", "gzip", "gzip, chunked", "identity"])
    func transferCodings(coding: String) throws {
        for fields in [[("transfer-encoding", coding)], [("transfer-encoding", "chunked"), ("content-length", "2")]] {
            var head = head("/", hosts: ["a"])
            head.headers.add(contentsOf: fields)
            #expect(throws: Refusal.self) { try RequestTarget.normalized(head) }
        }
    }

    @Test("HTTP/1.0 needs no host; a target in absolute form names it")
    func old() throws {
        #expect(try RequestTarget.normalized(head("/", hosts: [], version: .http1_0)).headers["host"].isEmpty)
        let absolute = try RequestTarget.normalized(head("http://a.example/x", hosts: [], version: .http1_0))
        #expect(absolute.headers["host"] == ["a.example"] && absolute.uri == "/x")
    }
}

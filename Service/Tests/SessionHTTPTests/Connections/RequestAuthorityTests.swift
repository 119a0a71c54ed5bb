import Testing

@testable import SessionHTTP

@Suite("The host of a request of HTTP/2 (RFC 9113 §8.3.1)")
struct RequestAuthorityTests {
    private func host(_ authorities: [String], _ hosts: [String], scheme: String = "https") throws -> String {
        try RequestAuthority.host(authorities: authorities, hosts: hosts, scheme: scheme)
    }

    @Test("`:authority` names the host, and `Host` does if there is none")
    func sources() throws {
        #expect(try host(["a.example"], []) == "a.example")
        #expect(try host([], ["a.example:8443"]) == "a.example:8443")
    }

    @Test("Both may be present if they name the same host")
    func same() throws {
        #expect(try host(["a.example"], ["a.example"]) == "a.example")
        #expect(try host(["a.example:443"], ["A.example"]) == "a.example:443")
        #expect(try host(["a.example"], ["a.example:80"], scheme: "http") == "a.example")
    }

    // Proves: N6
    @Test(
        "Different, repeated and missing hosts are rejected",
        arguments: [
            (["a.example"], ["b.example"]), (["a.example"], ["a.example:8443"]), (["a.example"], ["a.example:80"]),
            (["a.example"], [""]), ([""], ["a.example"]), (["a.example"], ["a.example", "a.example"]),
            ([], ["a.example", "b.example"]), (["a.example", "a.example"], []), ([""], []), ([], [""]), ([], []),
        ] as [([String], [String])])
    func rejected(_ authorities: [String], _ hosts: [String]) {
        #expect(throws: InvalidRequest.self) { try host(authorities, hosts) }
    }
}

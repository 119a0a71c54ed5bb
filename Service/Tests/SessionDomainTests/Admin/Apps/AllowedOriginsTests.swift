import Testing

@testable import SessionDomain

@Suite("Allowed origins of an app")
struct AllowedOriginsTests {
    private static let long = String(repeating: "a", count: 63)

    private func refusal(_ origins: [String], stored: [String] = []) throws -> Refusal? {
        var app = App(id: try appID(), name: "Shop", createdAt: now)
        app.allowedOrigins = stored
        do {
            var next = app
            next.allowedOrigins = origins
            try App.schema.check(next, replacing: app)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "What a browser sends is accepted",
        arguments: [
            "https://app.example.com", "https://app.example.com:8443", "https://app.example.com:80", "https://intranet",
            "https://xn--bcher-kva.example", "https://\(long).example", "https://3com.example", "https://192.0.2.1",
            "https://[2001:db8::1]", "https://[2001:db8::1]:8443", "https://[::ffff:c000:201]",
            "https://[1:0:2:3:4:5:6:7]",
            "https://[1::2:0:0:3]", "https://[::]", "https://[1::]", "http://localhost", "http://localhost:3000",
            "http://127.0.0.1:65535", "http://127.0.0.2", "http://[::1]:3000", "https://localhost:3000",
        ])
    func sent(_ origin: String) throws {
        #expect(try refusal([origin]) == nil)
    }

    @Test(
        "What no browser sends is refused, and so is plain http of other hosts",
        arguments: [
            "https://{{", "https://a;b", "https://a_b.example", "https://-a.example", "https://a-.example",
            "https://\(long)a.example", "https://a..example", "https://.example", "https://a.example.",
            "https://" + Array(repeating: long, count: 4).joined(separator: "."),
            "https://" + String(repeating: "a", count: 58_000), "https://App.example.com", "HTTPS://app.example.com",
            "https://bücher.example", "https://a%2eb", "https://*.example.com", "https://a.example/",
            "https://a.example/b",
            "https://a.example?b", "https://a.example#b", "https://a@b.example", "https://a.example:443",
            "https://a.example:", "https://a.example:0", "https://a.example:080", "https://a.example:65536",
            "https://a.example:+1", "http://localhost:80", "http://a.example.com", "http://192.0.2.1",
            "http://10.0.0.1:3000",
            "http://[2001:db8::1]", "https://1", "https://0x7f.1", "https://0x7f", "https://127.1",
            "https://127.0.0.01",
            "https://256.0.0.1", "https://a.1", "https://[::1", "https://[]", "https://[::01]",
            "https://[0:0:0:0:0:0:0:1]",
            "https://[1::2:0:0:0:3]", "https://[::FFFF:1]", "https://[::ffff:192.0.2.1]", "https://[127.0.0.1]",
            "https://[fe80::1%25eth0]", "ftp://a.example", "file://", "null", "", "*", "https://", "a.example.com",
        ])
    func notSent(_ origin: String) throws {
        let refusal = try #require(try refusal([origin]))
        guard case .invalidField("allowed_origins", _) = refusal else {
            Issue.record("\(refusal)")
            return
        }
    }

    @Test("Origins that an earlier version stored stay, and others can be added beside them")
    func stored() throws {
        let old = ["http://a.example.com", "https://{{"]
        #expect(try refusal(old + ["https://a.example.com"], stored: old) == nil)
        #expect(try refusal(old, stored: ["https://{{"]) != nil)
        #expect(try refusal(["https://a.example", "https://a.example"]) != nil)
    }
}

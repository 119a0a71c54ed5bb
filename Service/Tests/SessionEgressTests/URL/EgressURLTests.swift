import SessionDomain
import Testing

@testable import SessionEgress

/// Tests what is decided by the text of a URL.
@Suite("Egress URLs")
struct EgressURLTests {
    @Test(
        "A valid URL is normalized to one spelling",
        arguments: [
            ("https://api.example/hook", "api.example", 443, "https://api.example:443/hook"),
            ("HTTPS://API.Example/Hook", "api.example", 443, "https://api.example:443/Hook"),
            ("https://api.example", "api.example", 443, "https://api.example:443/"),
            ("https://api.example?x=1", "api.example", 443, "https://api.example:443/?x=1"),
            ("https://api.example:8443/", "api.example", 8443, "https://api.example:8443/"),
            (
                "https://xn--bcher-kva.example/%C3%A4?q=a%20b&c=/?:@", "xn--bcher-kva.example", 443,
                "https://xn--bcher-kva.example:443/%C3%A4?q=a%20b&c=/?:@"
            ),
            ("https://[2606:4700::1111]/", "2606:4700::1111", 443, "https://[2606:4700::1111]:443/"),
            ("https://[2606:4700::1111]:444/", "2606:4700::1111", 444, "https://[2606:4700::1111]:444/"),
            ("https://a_b.example/", "a_b.example", 443, "https://a_b.example:443/"),
        ])
    func accepted(_ text: String, _ host: String, _ port: Int, _ called: String) throws {
        let url = try EgressURL(text, allowsPlainHTTP: false)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.text == called)
    }

    @Test(
        "An invalid URL is rejected",
        arguments: [
            "", "api.example", "//api.example/", "ftp://api.example/", "https:api.example", "https:/api.example",
            "http+unix://api.example/", "file:///etc/passwd", "javascript://api.example/",
            "https://", "https:///path", "https://?x", "https://:443/", "https://.example/", "https://a..example/",
            "https://api.example./", "https://user@api.example/", "https://user:word@api.example/",
            "https://@api.example/",
            "https://api.example/#", "https://api.example/#part", "https://api.example#@evil.example/",
            "https://api.example\\@evil.example/", "https://api.example%2Fevil.example/", "https://api.example /",
            "https://api.example/a b", "https://api.example/\n", "https://api.example/ä", "https://bücher.example/",
            "https://api.example/%", "https://api.example/%4", "https://api.example/%zz", "https://api.example/a\\b",
            "https://api.example/<x>", "https://api.example/{x}", "https://api.example/[x]", "https://api.example/\"",
            "https://api.example:/", "https://api.example:0/", "https://api.example:65536/", "https://api.example:-1/",
            "https://api.example:+443/", "https://api.example:443x/", "https://api.example:443:443/",
            "https://api.example:４４３/", "https://api.example:000443/",
            "https://[::1", "https://::1/", "https://[]/", "https://[::1]x/", "https://[::1%25lo]/",
            "https://[fe80::1%lo]/",
            "https://[127.0.0.1]/", "https://[v1.x]/", "https://[api.example]/", "https://*.example/",
        ])
    func refused(_ text: String) {
        #expect(throws: EgressError.self) { try EgressURL(text, allowsPlainHTTP: true) }
    }

    @Test("A label of more than 63 characters, a name of more than 253 and a URL of more than 2048 are rejected")
    func lengths() throws {
        let label = String(repeating: "a", count: 63)
        let longest = "https://\(label).\(label).\(label).\(String(repeating: "a", count: 61))/"
        #expect(try EgressURL(longest, allowsPlainHTTP: false).host.count == 253)
        for refused in ["https://a\(label).example/", longest.dropLast() + "a/"] {
            #expect(throws: EgressError.self) { try EgressURL(refused, allowsPlainHTTP: false) }
        }
        let path = String(repeating: "a", count: EgressURL.maximumLength - "https://a.example/".count)
        #expect(throws: Never.self) { try EgressURL("https://a.example/\(path)", allowsPlainHTTP: false) }
        #expect(throws: EgressError.self) { try EgressURL("https://a.example/\(path)a", allowsPlainHTTP: false) }
    }

    @Test("Plain http is rejected unless it is allowed")
    func plainHTTP() throws {
        #expect(try EgressURL("http://api.example/", allowsPlainHTTP: true).port == 80)
        #expect(throws: EgressError.refusedURL("The URL must start with https://.")) {
            try EgressURL("http://api.example/", allowsPlainHTTP: false)
        }
    }

    @Test("An error repeats no part of the URL, which may contain a secret")
    func noSecrets() {
        for text in [
            "https://a:hidden@b.example/", "https://b.example/#hidden", "http://hidden/", "https://b.example:hidden/",
        ] {
            let error = #expect(throws: EgressError.self) { try EgressURL(text, allowsPlainHTTP: false) }
            #expect(!String(describing: error).contains("hidden"))
        }
    }
}

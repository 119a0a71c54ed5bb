import SessionTokens
import Testing

/// The normalisation of RFC 3986 §6.2.2 and §6.2.3 that `htu` needs (RFC 9449 §4.3 step 9).
@Suite("Target URI")
struct TargetURITests {
    @Test(
        "Equivalent URIs have the same normal form",
        arguments: [
            // Scheme and host are in lower case, default ports are removed.
            ("HTTPS://API.Example.COM/Path", "https://api.example.com/Path"),
            ("https://a.example:443/", "https://a.example/"),
            ("https://a.example:0443/", "https://a.example/"),
            ("http://a.example:80/", "http://a.example/"),
            ("http://a.example:443/", "http://a.example:443/"),
            ("https://a.example:8443/", "https://a.example:8443/"),
            ("https://a.example:/", "https://a.example/"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
            // Query and fragment are removed.
            ("https://a.example/x?y=/../z#f", "https://a.example/x"),
            ("https://a.example/x#f?y", "https://a.example/x"),
            ("https://a.example?y", "https://a.example/"),
            ("https://a.example#f", "https://a.example/"),
            // An empty path becomes the root path.
            ("https://a.example", "https://a.example/"),
            // Dot segments are removed (RFC 3986 §5.2.4, with its example).
            ("https://a.example/a/b/c/./../../g", "https://a.example/a/g"),
            ("https://a.example/a/.", "https://a.example/a/"),
            ("https://a.example/a/..", "https://a.example/"),
            ("https://a.example/../../a", "https://a.example/a"),
            ("https://a.example/./", "https://a.example/"),
            ("https://a.example/a//../b", "https://a.example/a/b"),
            ("https://a.example/.a/..b/c.", "https://a.example/.a/..b/c."),
            // Unreserved characters are not percent-encoded, all others have upper-case digits.
            ("https://a.example/%7euser/%41", "https://a.example/~user/A"),
            ("https://a.example/a%2fb%3Fc", "https://a.example/a%2Fb%3Fc"),
            ("https://a.example/a/%2e%2E/b", "https://a.example/b"),
            ("https://a.example/%c3%a9", "https://a.example/%C3%A9"),
            // A path keeps its case, its empty segments and its trailing slash.
            ("https://a.example//A//b/", "https://a.example//A//b/"),
        ]
    )
    func normalForm(_ text: String, _ expected: String) throws {
        let target = try #require(TargetURI(text))
        #expect(target.absoluteString == expected)
        #expect(TargetURI(expected) == target, "normalisation does not change a normal form")
    }

    @Test(
        "A text that is not an unambiguous absolute http or https URI is rejected",
        arguments: [
            "", "/", "a.example/x", "//a.example/x", "https:/a.example", "https:a.example", "https://", "https:///x",
            "ftp://a.example/", "file:///etc/passwd", "javascript://a.example/", " https://a.example/",
            "https://user@a.example/", "https://user:secret@a.example/", "https://@a.example/",
            "https://a.example:0/", "https://a.example:65536/", "https://a.example:x/", "https://a.example:-1/",
            "https://a.example:+443/", "https://a.example:443:443/", "https://:443/", "https://[::1/",
            "https://[::1]x/", "https://a[b/", "https://a[b]/",
            "https://a.example/%", "https://a.example/%4", "https://a.example/%zz", "https://a.example/a b",
            "https://a.example/\u{7F}", "https://a.example/\0", "https://a.example/é", "https://é.example/",
            "https://a .example/", "https://a.example/a\r\nb", "https://a.example?\u{301}",
        ]
    )
    func rejected(_ text: String) {
        #expect(TargetURI(text) == nil)
    }

    @Test("An origin and a path make the same target as the complete URI")
    func originAndPath() {
        let whole = TargetURI("https://a.example:8443/v1/session/otp")
        #expect(TargetURI(origin: "https://a.example:8443", path: "/v1/session/otp") == whole)
        #expect(whole?.origin == "https://a.example:8443")
        #expect(whole?.path == "/v1/session/otp")
    }
}

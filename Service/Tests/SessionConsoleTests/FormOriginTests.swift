import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Origins of forms")
struct FormOriginTests {
    @Test(
        "A page under the host of the request is a page of the console, by https or on this machine",
        arguments: [
            ("https://console.test", "console.test", true), ("https://console.test", "CONSOLE.test:443", true),
            ("https://console.test:8443", "console.test:8443", true),
            ("https://localhost:8081", "localhost:8081", true),
            ("http://localhost:8081", "localhost:8081", false), ("http://127.0.0.1:8081", "127.0.0.1:8081", false),
            ("http://[::1]:8081", "[::1]:8081", false), ("http://localhost", "localhost:80", false),
        ])
    func accepted(_ origin: String, _ host: String, _ isSecure: Bool) throws {
        for site in [nil, "same-origin"] {
            #expect(try FormOrigin(origin: origin, site: site, host: host).isSecure == isSecure)
        }
    }

    @Test(
        "Every other page is refused",
        arguments: [
            (nil, "same-origin", "console.test"), ("null", nil, "console.test"), ("", nil, ""),
            ("https://console.test", "same-site", "console.test"), ("https://console.test", "none", "console.test"),
            ("https://console.test", "cross-site", "console.test"), ("https://evil.test", nil, "console.test"),
            ("https://console.test.evil.test", nil, "console.test"), ("https://console.test", nil, "console.test:8443"),
            ("http://console.test", nil, "console.test"), ("http://192.0.2.1", nil, "192.0.2.1"),
            ("http://localhost.evil.test", nil, "localhost.evil.test"), ("https://console.test/", nil, "console.test/"),
            ("http://localhost:8081", nil, "localhost:8080"), ("http://0.0.0.0", nil, "0.0.0.0"),
        ] as [(String?, String?, String)])
    func refused(_ origin: String?, _ site: String?, _ host: String) {
        #expect(throws: Refusal.self) { try FormOrigin(origin: origin, site: site, host: host) }
    }
}

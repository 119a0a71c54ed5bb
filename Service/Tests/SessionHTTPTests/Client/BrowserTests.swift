import HTTPTypes
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Browsers")
struct BrowserTests {
    @Test(
        "A request is from a browser if it has Origin or Sec-Fetch-Site",
        arguments: [
            ("origin", "https://app.example", true), ("origin", "null", true), ("sec-fetch-site", "none", true),
            ("Sec-Fetch-Site", "cross-site", true), ("sec-fetch-mode", "cors", false),
            ("referer", "https://app.example/", false), ("cookie", "a=b", false),
            ("user-agent", "Mozilla/5.0 (Macintosh) Safari", false),
        ])
    func detected(name: String, value: String, isBrowser: Bool) throws {
        let client = try Client.test(.of((name, value)))
        #expect(client.isBrowser == isBrowser)
        #expect((client.facts.platform == "web") == isBrowser)
    }

    @Test("Hooks receive at most 512 characters of User-Agent")
    func longAgent() throws {
        let client = try Client.test(.of(("user-agent", String(repeating: "a", count: 513))))
        #expect(client.facts.userAgent == String(repeating: "a", count: 512))
    }
}

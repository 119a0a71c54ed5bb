import HTTPTypes
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Accept-Language")
struct AcceptLanguageTests {
    @Test(
        "Tags are ordered by quality (RFC 9110 §12.5.4)",
        arguments: [
            ("de", ["de"]), ("de, en", ["de", "en"]), ("en;q=0.5, de", ["de", "en"]),
            ("en;q=0.5, de;q=0.6, fr;q=0.4", ["de", "en", "fr"]), ("de-CH, de;q=0.9, en;q=0.8", ["de-CH", "de", "en"]),
            ("en;q=0.5, de;q=0.5, fr;q=0.5", ["en", "de", "fr"]), ("en; q = 0.5 , de", ["de", "en"]),
            ("en;q=1.0, de;q=0.999", ["en", "de"]), ("en;level=1;q=0.2, de;q=0.3", ["de", "en"]),
            ("zh-Hant-TW", ["zh-Hant-TW"]),
        ])
    func order(header: String, tags: [String]) {
        #expect(AcceptLanguage.tags(header) == tags)
    }

    @Test(
        "Wildcards, invalid tags and tags of quality 0 are ignored",
        arguments: [
            ("", []), (",,;", []), ("*", []), ("de, *;q=0.5", ["de"]), ("de;q=0, en", ["en"]),
            ("de;q=0.000, en", ["en"]), ("de;q=-1, en", ["en"]), ("de;q=nan, en", ["en"]), ("d_e, en", ["en"]),
            ("dé, en", ["en"]), ("<b>, en", ["en"]), ("de\u{0}, en", ["en"]), ("٣, en", ["en"]),
        ] as [(String, [String])])
    func ignored(header: String, tags: [String]) {
        #expect(AcceptLanguage.tags(header) == tags)
    }

    @Test("A quality that is not a number counts as 1", arguments: ["en;q=0.9, de;q=", "en;q=0.9, de;q=x"])
    func unreadableQuality(_ header: String) {
        #expect(AcceptLanguage.tags(header) == ["de", "en"])
    }

    @Test("A tag has at most 35 bytes")
    func longTag() {
        let (longest, tooLong) = (String(repeating: "a", count: 35), String(repeating: "a", count: 36))
        #expect(AcceptLanguage.tags("\(tooLong), \(longest)") == [longest])
    }

    @Test("At most 10 tags are returned, those of the highest quality")
    func manyTags() {
        let tags = (0..<12).map { "l\($0)" }
        let header = tags.enumerated().map { "\($0.element);q=0.\(10 + $0.offset)" }.joined(separator: ",")
        #expect(AcceptLanguage.tags(header) == Array(tags.reversed().prefix(10)))
    }

    // Proves: M22
    @Test("At most 512 characters of the header are read")
    func longHeader() {
        let padding = String(repeating: " ", count: 508)
        #expect(AcceptLanguage.tags("en,\(padding)d,fr") == ["en", "d"])
        #expect(AcceptLanguage.tags("en,\(padding)de,fr") == ["en", "d"])
    }

    @Test("Hooks receive the tags of the request")
    func facts() throws {
        let client = try Client.test(.of(("accept-language", "en;q=0.5, de-CH")))
        #expect(client.facts.locales == ["de-CH", "en"])
        #expect(try Client.test([:]).facts.locales.isEmpty)
    }
}

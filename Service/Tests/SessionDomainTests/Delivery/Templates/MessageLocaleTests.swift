import Foundation
import SessionDomain
import SessionTokens
import Testing

@Suite("Languages of messages")
struct MessageLocaleTests {
    private func locales(_ tags: String...) throws -> Set<MessageLocale> {
        Set(try tags.map { try #require(MessageLocale($0)) })
    }

    @Test(
        "A tag is written in its usual case, and tags that differ in case are equal (RFC 5646 §2.1.1)",
        arguments: [
            ("de", "de"), ("DE-ch", "de-CH"), ("zh-hANT-tw", "zh-Hant-TW"), ("en-ca-X-CA", "en-CA-x-ca"),
            ("sgn-be-FR", "sgn-BE-FR"), ("az-latn-x-LATN", "az-Latn-x-latn"), ("es-419", "es-419"),
        ])
    func tag(text: String, tag: String) {
        #expect(MessageLocale(text)?.tag == tag)
    }

    @Test(
        "A text that is no tag is none",
        arguments: [
            "", "d", "-", "de-", "-de", "de--CH", "de_CH", "d1", "de CH", "é", "de-ABCDEFGHI", "abcdefghi", "*", "de-*",
            "aa-bbbbbbbb-cccccccc-dddddddd-eeeeee", "de\n",
        ])
    func invalid(_ text: String) {
        #expect(MessageLocale(text) == nil)
    }

    @Test(
        "Lookup shortens each range until it is available (RFC 4647 §3.4)",
        arguments: [
            // The example of §3.4: each of these is tried in turn.
            (["zh-Hant-CN-x-private1-private2"], "zh-Hant-CN-x-private1-private2"),
            (["zh-Hant-CN-x-private1-private2"], "zh-Hant-CN-x-private1"),
            (["zh-Hant-CN-x-private1-private2"], "zh-Hant-CN"), (["zh-Hant-CN-x-private1-private2"], "zh-Hant"),
            (["zh-Hant-CN-x-private1-private2"], "zh"),
            // The example of §3.4.1, in which the content has none of the preferred forms.
            (["fr-FR", "zh-Hant"], "fr-FR"), (["fr-FR", "zh-Hant"], "fr"), (["fr-FR", "zh-Hant"], "zh-Hant"),
            (["fr-FR", "zh-Hant"], "zh"), (["de-CH"], "de"), (["DE-ch"], "de-CH"), (["x", "de"], "de"),
            (["*", "de"], "de"), (["d_e", "de"], "de"),
        ])
    func found(ranges: [String], tag: String) throws {
        #expect(MessageLocale.lookup(ranges, in: try locales(tag))?.tag == tag)
    }

    @Test(
        "Lookup finds nothing else (RFC 4647 §3.4)",
        arguments: [
            (["fr-FR", "zh-Hant"], "ja-JP"), (["de"], "de-DE"), (["zh-Hant-CN"], "zh-CN"),
            (["zh-Hant-x-a"], "zh-Hant-x"),
            ([], "de"), (["*"], "de"), (["de-*-CH"], "de"), (["den"], "de"),
        ] as [([String], String)])
    func missing(ranges: [String], tag: String) throws {
        #expect(MessageLocale.lookup(ranges, in: Set([MessageLocale(tag)].compactMap { $0 })) == nil)
    }

    @Test("The first range wins, even if it has to be shortened")
    func order() throws {
        let available = try locales("de", "fr", "fr-CA")
        #expect(MessageLocale.lookup(["fr-CA", "de"], in: available)?.tag == "fr-CA")
        #expect(MessageLocale.lookup(["fr-BE", "de"], in: available)?.tag == "fr")
        #expect(MessageLocale.lookup(["it", "de", "fr"], in: available)?.tag == "de")
    }

    // Proves: M22
    @Test("Of one request, ten ranges are compared")
    func bounded() throws {
        let ranges = Array(repeating: "it", count: 9)
        #expect(MessageLocale.lookup(ranges + ["de"], in: try locales("de")) != nil)
        #expect(MessageLocale.lookup(ranges + ["it", "de"], in: try locales("de")) == nil)
    }

    @Test("A stored locale is read again, and a stored text that is no tag is rejected")
    func stored() throws {
        let locale = try #require(MessageLocale("pt-BR"))
        let encoded = try TokenJSON.encode([locale])
        #expect(String(decoding: encoded, as: UTF8.self) == #"["pt-BR"]"#)
        #expect(try TokenJSON.decode([MessageLocale].self, from: encoded) == [locale])
        let invalid = Data(#"["*"]"#.utf8)
        #expect(throws: (any Error).self) { try TokenJSON.decode([MessageLocale].self, from: invalid) }
    }
}

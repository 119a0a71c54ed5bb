internal import Foundation
internal import Testing

@testable internal import SessionDomain

@Suite("Identifiers have one canonical form")
struct CanonicalIdentifierTests {
    @Test(
        "A phone number is E.164 without separators (H16)",
        arguments: [
            ("+14155550100", "+14155550100"), ("+1 (415) 555-01.00", "+14155550100"),
            ("  +41\u{A0}44 668 18 00 ", "+41446681800"), ("+1234567", "+1234567"),
            ("+123456789012345", "+123456789012345"),
            // The trunk prefix of a country is no part of the number (ITU-T E.123 §7.3).
            ("+49 (0) 170 1234567", "+491701234567"), ("+49(0)1701234567", "+491701234567"),
            ("+44 (0)20 7946 0018", "+442079460018"), ("+33 (0)6 12 34 56 78", "+33612345678"),
            ("+353 (0)87 123 4567", "+353871234567"), ("(+49) (0)170 1234567", "+491701234567"),
            // Of an Italian number, 0 is a part, and without parentheses it always is.
            ("+39 06 1234 5678", "+390612345678"), ("+39 (0)6 1234 5678", "+390612345678"),
            ("+1 (415) 555-0100", "+14155550100"),
            ("+1 (0)415 555 0100", "+14155550100"), ("+4 (0)1701234567", "+401701234567"),
        ])
    func phoneNumber(typed: String, canonical: String) throws {
        let identifier = try CanonicalIdentifier(type: "phone_number", value: typed)
        #expect(identifier.canonical == canonical)
        #expect(identifier.value == canonical)
        #expect(identifier.key == "phone_number:" + canonical)
    }

    @Test(
        "An invalid phone number is rejected",
        arguments: [
            "", "+", "14155550100", "004155550100", "+04155550100", "+123456", "+1234567890123456", "+1415555o100",
            "+1415٥٥٥0100", "++14155550100", "+1 415 555 0100 ext 5", "+1\t4155550100", "+1/415/5550100",
            "+1" + String(repeating: " ", count: 80) + "4155550100", "a@example.com",
        ])
    func notAPhoneNumber(typed: String) {
        let refusal = #expect(throws: Refusal.self) {
            try CanonicalIdentifier(type: "phone_number", value: typed, field: "who")
        }
        guard case .invalidIdentifier(let text)? = refusal else {
            Issue.record("refused as \(String(describing: refusal))")
            return
        }
        #expect(text.hasPrefix("who "))
    }

    @Test(
        "An e-mail address is trimmed, NFC and lower case, and also kept as typed",
        arguments: [
            ("Ada@Example.COM", "ada@example.com", "Ada@Example.COM"),
            (" \tada@example.com\r\n", "ada@example.com", "ada@example.com"),
            // Decomposed and precomposed letters are equal, in either case.
            ("JOSE\u{301}@example.com", "jos\u{E9}@example.com", "JOSE\u{301}@example.com"),
            ("JOS\u{C9}@example.com", "jos\u{E9}@example.com", "JOS\u{C9}@example.com"),
            ("a+tag@sub.example.co", "a+tag@sub.example.co", "a+tag@sub.example.co"),
            (
                "o'brien!#$%&*/=?^_`{|}~@example.com", "o'brien!#$%&*/=?^_`{|}~@example.com",
                "o'brien!#$%&*/=?^_`{|}~@example.com"
            ),
            // A domain has one key, in ASCII, and is shown in letters (RFC 5890 §2.3.2.1).
            ("user@b\u{FC}cher.example", "user@xn--bcher-kva.example", "user@b\u{FC}cher.example"),
            ("user@B\u{DC}CHER.example", "user@xn--bcher-kva.example", "user@B\u{DC}CHER.example"),
            ("user@bu\u{308}cher.example", "user@xn--bcher-kva.example", "user@bu\u{308}cher.example"),
            ("user@XN--Bcher-KVA.example", "user@xn--bcher-kva.example", "user@b\u{FC}cher.example"),
            (
                "j\u{FC}rgen@xn--bcher-kva.example", "j\u{FC}rgen@xn--bcher-kva.example",
                "j\u{FC}rgen@b\u{FC}cher.example"
            ),
            // The other form could be read as ASCII, or there is none.
            ("user@xn--fa-hia.de", "user@xn--fa-hia.de", "user@xn--fa-hia.de"),
            ("user@xn--a.example", "user@xn--a.example", "user@xn--a.example"),
        ])
    func emailAddress(typed: String, canonical: String, value: String) throws {
        let identifier = try CanonicalIdentifier(type: "email_address", value: typed)
        // Compare scalars, because Swift strings are equal under canonical equivalence.
        #expect(Array(identifier.canonical.unicodeScalars) == Array(canonical.unicodeScalars))
        #expect(Array(identifier.value.unicodeScalars) == Array(value.unicodeScalars))
    }

    // Proves: O20
    @Test(
        "A domain is shown in letters only if they are of one script, or of those written together (UTS #39 §5.2)",
        arguments: [
            // Cyrillic, Greek and Armenian letters in Latin names, and the other way round.
            ("p\u{430}ypal.com", false), ("ap\u{440}le.com", false), ("goog\u{4CF}e.com", false),
            ("micr\u{3BF}soft.com", false), ("g\u{585}ogle.com", false),
            ("\u{43F}o\u{447}\u{442}\u{430}.example", false),
            ("mail.p\u{430}ypal.com", false), ("p\u{430}ypal.m\u{FC}nchen.de", false),
            // Wholly Cyrillic, Greek or Armenian, and like Latin: apple, paypal, lover, son.
            ("\u{430}\u{440}\u{440}\u{4CF}\u{435}.com", false),
            ("\u{440}\u{430}\u{443}\u{440}\u{430}\u{4CF}.com", false),
            ("\u{3B9}\u{3BF}\u{3BD}\u{3B9}.gr", false), ("\u{57D}\u{585}\u{578}.example", false),
            ("\u{441}\u{43E}-24.example", false),
            // One script, with digits and hyphens.
            ("m\u{FC}nchen.de", true), ("24.m\u{FC}nchen-24.de", true), ("na\u{EF}ve-caf\u{E9}.fr", true),
            ("\u{43F}\u{43E}\u{447}\u{442}\u{430}.example", true),
            ("\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}-24.\u{440}\u{444}", true),
            // A top-level domain may look Latin.
            ("\u{43F}\u{43E}\u{447}\u{442}\u{430}.\u{440}\u{443}\u{441}", true),
            ("\u{3B5}\u{3BB}\u{3BB}\u{3AC}\u{3B4}\u{3B1}.gr", true), ("\u{5D3}\u{5D5}\u{5D0}\u{5E8}.example", true),
            ("\u{627}\u{644}\u{628}\u{631}\u{64A}\u{62F}.example", true),
            ("\u{0E44}\u{0E1B}\u{0E23}.example", true), ("\u{921}\u{93E}\u{915}.example", true),
            // Each label has its own script.
            ("\u{43F}\u{43E}\u{447}\u{442}\u{430}.m\u{FC}nchen.example", true),
            // Scripts that are written together.
            ("\u{4F8B}\u{3048}.jp", true), ("\u{65E5}\u{672C}\u{30C6}\u{30B9}\u{30C8}abc.jp", true),
            ("abc\u{4E2D}\u{6587}.cn", true), ("\u{4E2D}\u{3105}\u{311A}abc.tw", true),
            ("\u{D55C}\u{AE00}\u{6F22}abc.kr", true),
            // Not together: Hangul and Hiragana, Bopomofo and Katakana, Georgian and Latin.
            ("\u{D55C}\u{3048}.example", false), ("\u{3105}\u{30C6}.example", false),
            ("\u{10D0}abc.example", false),
            // Not in common use: Cherokee and Gothic.
            ("\u{13A0}\u{13A1}.example", false), ("\u{10330}\u{10331}.example", false),
        ])
    func shownDomain(letters: String, isShown: Bool) throws {
        let ascii = try #require(MailDomain.ascii(letters))
        #expect(ascii.contains("xn--"))
        let shown = isShown ? letters : ascii
        #expect(MailDomain.readable(ascii) == (isShown ? letters : nil))
        for typed in [letters, ascii] {
            let identifier = try CanonicalIdentifier(type: "email_address", value: "ada@" + typed)
            #expect(identifier.value == "ada@" + shown)
            #expect(identifier.canonical == "ada@" + ascii)
            #expect(identifier.masked == "a***@" + shown)
        }
    }

    // Proves: O20
    @Test(
        "An address whose domain can be read as ASCII is searched for as it is, and not as another address",
        arguments: [
            "ada@\u{FF45}\u{FF58}\u{FF41}mple.com", "ada@example\u{3002}com", "ada@\u{1D41E}xample.com",
            "ada@fa\u{DF}.de",
            "ada@exam\u{AD}ple.com", "ada@b\u{FC}cher.\u{24D2}om",
        ])
    func searchedDomain(typed: String) throws {
        #expect(CanonicalIdentifier.withASCIIDomain(typed) == nil)
        #expect(throws: Refusal.self) { try CanonicalIdentifier(type: "email_address", value: typed) }
        // Some of these have never been accepted.
        let found = try? CanonicalIdentifier(type: "email_address", value: typed, isSearched: true)
        #expect(found == nil || found?.canonical == typed)
    }

    @Test(
        "An invalid e-mail address is rejected",
        arguments: [
            "", "@", "ada", "ada@", "@example.com", "ada@localhost", "ada@example.", "ada@.com", "ada@exa..mple.com",
            "a@b@example.com", "ada @example.com", "ada@exam ple.com", "ada@example.com\nBcc: x@example.com",
            "ada@-example.com", "ada@example-.com", "<ada@example.com>", "\"ada\"@example.com", "a,b@example.com",
            "ada@example.com;", "ada@[127.0.0.1]", "ada\u{0}@example.com", "ada\u{200B}@example.com",
            "\u{202E}ada@example.com", String(repeating: "a", count: 65) + "@example.com",
            "a@" + String(repeating: "b", count: 64) + ".com",
            // 64 bytes as typed, and 65 in lower case.
            String(repeating: "a", count: 62) + "\u{23A}@example.com",
            "a@" + String(repeating: "bbbbbbbbbb.", count: 24) + "com",
            // A separator with a combining mark is a separator for software that reads scalars.
            "a@corp.com@\u{338}x.example", "ceo@\u{338}corp.com@x.example", "@\u{338}@x.example", "a@b.\u{301}com",
            "a.\u{301}b@x.example", "a@b.com\u{20DD}",
            // No part of a host name.
            "a@x.example?cc=b", "a@x/y.example", "a@x.ex%61mple", "a@x#.example", "a@{x}.example", "a@x!y.example",
        ])
    func notAnEmailAddress(typed: String) {
        #expect(throws: Refusal.invalidIdentifier("identifier is not an e-mail address")) {
            try CanonicalIdentifier(type: "email_address", value: typed)
        }
    }

    @Test(
        "A character that can be read as ASCII is rejected with its number and the name of the field (X4)",
        arguments: [
            // Kelvin sign, long s, dotless i, dotted capital I, sharp s, and the capital one.
            "mi\u{212A}e@example.com", "\u{17F}am@example.com", "m\u{131}ke@example.com", "M\u{130}KE@example.com",
            "stra\u{DF}e@example.com", "STRA\u{1E9E}E@example.com",
            // Ligature, digraph, full-width and mathematical letters, superscript, ordinal, letters with an apostrophe.
            "\u{FB01}ne@example.com", "\u{1C6}@example.com", "\u{FF4D}ike@example.com", "\u{1D426}ike@example.com",
            "mike\u{B2}@example.com", "m\u{AA}@example.com", "\u{149}@example.com", "\u{24DC}ike@example.com",
            // Forms of the at sign, of the dot and of digits, in any place.
            "mike\u{FF20}example.com", "mike\u{FE6B}example.com", "mike@example\u{FF0E}com", "mike@example\u{2024}com",
            "mike@example\u{3002}com", "mike@example\u{FF61}com", "mike\u{FF11}@example.com", "mike@\u{2460}.com",
            // Characters that normalization removes.
            "mi\u{34F}ke@example.com", "mike\u{FE0F}@example.com", "mi\u{AD}ke@example.com",
            // Two characters that compose to one whose upper case has an ASCII letter.
            "h\u{331}@example.com", "I\u{307}@example.com",
        ])
    func resemblance(typed: String) throws {
        let refusal = #expect(throws: Refusal.self) {
            try CanonicalIdentifier(type: "email_address", value: typed, field: "who")
        }
        guard case .invalidIdentifier(let text)? = refusal else {
            Issue.record("refused as \(String(describing: refusal))")
            return
        }
        #expect(text.hasPrefix("who "))
    }

    @Test("No scalar is accepted that normalization or a change of case turns into ASCII, or removes (X4)")
    func everyScalar() {
        // The planes between them have no characters, and those behind them are for private use.
        let planes = [0x80...0x3FFFF, 0xE0000...0xE0FFF].joined().compactMap { Unicode.Scalar(UInt32($0)) }
        let accepted = planes.filter { scalar in
            ![.unassigned, .privateUse].contains(scalar.properties.generalCategory) && !scalar.resemblesASCII
        }
        #expect(accepted.count > 100_000)
        // Texts of many scalars, because a normalization of each one would take seconds. The letter between two scalars
        // keeps them from composing.
        for start in stride(from: 0, to: accepted.count, by: 200) {
            var text = String.UnicodeScalarView()
            for scalar in accepted[start..<min(start + 200, accepted.count)] { text += [scalar, "\u{4E00}"] }
            let joined = String(text)
            for form in [joined, joined.uppercased(), joined.lowercased(), joined.lowercased().uppercased()] {
                let readable = form.precomposedStringWithCompatibilityMapping.utf8.count { $0 < 0x80 }
                #expect(readable == 0, "a scalar from U+\(String(accepted[start].value, radix: 16)) on")
            }
        }
    }

    @Test(
        "An unknown type is rejected with the name of the field", arguments: ["", "email", "EMAIL_ADDRESS", "username"])
    func unknownType(type: String) {
        #expect(throws: Refusal.invalidField("who.type", "must be phone_number or email_address")) {
            try CanonicalIdentifier(type: type, value: "ada@example.com", field: "who")
        }
    }

    // Proves: H16
    @Test("Identifiers that differ only in spelling are equal")
    func equality() throws {
        let typed = ["Ada@Example.com", " ada@EXAMPLE.com "].map { ("email_address", $0) }
        #expect(Set(try typed.map { try CanonicalIdentifier(type: $0.0, value: $0.1) }).count == 1)
    }
}

internal import SessionDomain
internal import Testing

@Suite("Identifiers have one canonical form")
struct CanonicalIdentifierTests {
    @Test(
        "A phone number is E.164 without separators (H16)",
        arguments: [
            ("+14155550100", "+14155550100"), ("+1 (415) 555-01.00", "+14155550100"),
            ("  +41\u{A0}44 668 18 00 ", "+41446681800"), ("+1234567", "+1234567"),
            ("+123456789012345", "+123456789012345"),
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
            ("user@b\u{FC}cher.example", "user@b\u{FC}cher.example", "user@b\u{FC}cher.example"),
        ])
    func emailAddress(typed: String, canonical: String, value: String) throws {
        let identifier = try CanonicalIdentifier(type: "email_address", value: typed)
        // Compare scalars, because Swift strings are equal under canonical equivalence.
        #expect(Array(identifier.canonical.unicodeScalars) == Array(canonical.unicodeScalars))
        #expect(Array(identifier.value.unicodeScalars) == Array(value.unicodeScalars))
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
            String(repeating: "a", count: 62) + "\u{130}@example.com",
            "a@" + String(repeating: "bbbbbbbbbb.", count: 24) + "com",
        ])
    func notAnEmailAddress(typed: String) {
        #expect(throws: Refusal.invalidIdentifier("identifier is not an e-mail address")) {
            try CanonicalIdentifier(type: "email_address", value: typed)
        }
    }

    @Test(
        "An unknown type is rejected with the name of the field", arguments: ["", "email", "EMAIL_ADDRESS", "username"])
    func unknownType(type: String) {
        #expect(throws: Refusal.invalidField("who.type", "must be phone_number or email_address")) {
            try CanonicalIdentifier(type: type, value: "ada@example.com", field: "who")
        }
    }

    @Test("Identifiers that differ only in spelling are equal")
    func equality() throws {
        let typed = ["Ada@Example.com", " ada@EXAMPLE.com "].map { ("email_address", $0) }
        #expect(Set(try typed.map { try CanonicalIdentifier(type: $0.0, value: $0.1) }).count == 1)
    }
}

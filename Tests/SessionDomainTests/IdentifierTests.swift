import SessionDomain
import Testing

@Suite("Identifiers in one form")
struct IdentifierTests {
    @Test(
        "spellings of one phone number are one number (H16)",
        arguments: ["+14155551234", "+1 415 555 1234", "+1 (415) 555-1234", " +1.415.555.1234 "])
    func phone(text: String) throws {
        #expect(try CanonicalIdentifier(type: "phone_number", value: text).canonical == "+14155551234")
    }

    @Test(
        "what is no phone number is refused",
        arguments: ["", "14155551234", "+0123456789", "+123456", "+1234567890123456", "+1415555123a", "++14155551234"])
    func noPhone(text: String) {
        #expect(throws: Refusal.self) { try CanonicalIdentifier(type: "phone_number", value: text) }
    }

    @Test(
        "spellings of one address are one address",
        arguments: ["zoë@example.com", "ZOË@Example.COM", " zoe\u{308}@example.com\n"])
    func email(text: String) throws {
        #expect(try CanonicalIdentifier(type: "email_address", value: text).canonical == "zoë@example.com")
    }

    @Test("an address is kept as typed")
    func asTyped() throws {
        #expect(try CanonicalIdentifier(type: "email_address", value: " Ada@Example.com ").value == "Ada@Example.com")
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", "ada", "@example.com", "ada@", "ada@localhost", "a@b@example.com", "a b@example.com",
            "ada@example..com", "ada@-example.com", "ada\u{0}@example.com", "ada@example.com\r\nBcc: x",
            "<ada@example.com>", String(repeating: "a", count: 65) + "@example.com",
        ])
    func noEmail(text: String) {
        #expect(throws: Refusal.self) { try CanonicalIdentifier(type: "email_address", value: text) }
    }

    @Test(
        "app ids are seven lower-case letters or digits",
        arguments: [("devapp1", true), ("devapp", false), ("Devapp1", false), ("devapp12", false), ("dev-pp1", false)])
    func appID(text: String, isValid: Bool) {
        #expect((AppID(text) != nil) == isValid)
    }
}

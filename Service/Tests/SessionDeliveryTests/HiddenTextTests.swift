import Testing

@testable import SessionDelivery

@Suite("Texts that can contain what must be hidden")
struct HiddenTextTests {
    @Test(
        "A text that has the beginning in any case may contain it, and each text that is not ASCII",
        arguments: [
            ("token", "a TOKEN b", true), ("ToKen", "xtoken", true), ("token", "toke", false),
            ("token", "to ken", false),
            ("token", "tokén", true), ("tokén", "abc", true), ("token", "", false), ("a", "A", true),
        ])
    func beginning(secret: String, text: String, mayOccur: Bool) {
        #expect(HiddenText.mayOccur(secret.prefix(24).utf8, in: text.utf8) == mayOccur)
    }

    @Test(
        "Digits may have one character between them",
        arguments: [
            ("1234", "code 1234", true), ("1234", "1-2-3-4", true), ("1234", "1 23 4", true), ("1234", "1--234", false),
            ("1234", "123", false), ("1123", "11 1-2-3", true), ("1234", "12345", true), ("1234", "é", true),
            ("12a4", "x", true), ("1234", "", false),
        ])
    func digits(code: String, text: String, mayOccur: Bool) {
        #expect(HiddenText.mayOccur(spaced: code.utf8, in: text.utf8) == mayOccur)
    }
}

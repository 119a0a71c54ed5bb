import Testing

@testable import PreludeSessionUI

@Suite("The digits of a typed code")
struct CodeDigitsTests {
    @Test(
        "Digits of every script are read, and everything else is dropped",
        arguments: [
            ("123456", "123456"), (" 123 456 ", "123456"), ("123-456", "123456"), ("１２３４５６", "123456"),
            ("٤٥٦", "456"), ("۴۵۶", "456"), ("१२३", "123"), ("Your code is 123456.", "123456"), ("1\u{200B}2", "12"),
            ("", ""), ("abc", ""), ("½²①", ""), ("1234567", "123456"), ("🄀1️⃣", "1"),
        ])
    func read(typed: String, digits: String) {
        #expect(CodeDigits.read(typed, length: 6) == digits)
    }

    @Test(
        "The code of a pasted message is found among its other digits",
        arguments: [
            ("Acme24: 123456", "123456"), ("Acme24: 123-456", "123456"), ("Acme24: 123 456.", "123456"),
            ("123456 is your code, valid for 10 minutes", "123456"), ("On 2026-11-22: 123456", "123456"),
            ("Your code is 123456.\n\n@acme24.com #123456", "123456"), ("Acme24: 12\u{2060}3456", "123456"),
            ("12Acme24: 123456", "123456"), ("1.2.3.4.5.6 (Acme24)", "123456"),
        ])
    func message(pasted: String, digits: String) {
        #expect(CodeDigits.read(pasted, length: 6) == digits)
    }

    @Test(
        "A message with two codes or none has no digits to submit",
        arguments: ["Call 800800 for 123456", "Acme24: 1234567", "+1 415 555 1234", "24 123 456", "123 456, 654 321"])
    func noCode(pasted: String) {
        #expect(CodeDigits.read(pasted, length: 6) == "")
    }
}

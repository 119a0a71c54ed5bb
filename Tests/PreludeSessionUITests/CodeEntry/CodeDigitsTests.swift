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
}

import Testing

@testable import SessionDelivery

@Suite("Reasons of failures")
struct ReasonTextTests {
    private let text = ReasonText(hiding: ["pa55word", "alice@example.com", ""], code: "482913")

    @Test(
        "Secrets, the recipient and the code are hidden",
        arguments: [
            ("535 wrong password pa55word", "535 wrong password (hidden)"),
            ("535 got cGE1NXdvcmQ=", "535 got (hidden)"), ("535 PA55WORD", "535 (hidden)"),
            ("550 <Alice@Example.com> unknown", "550 <(hidden)> unknown"),
            ("550 spam: 482913 is your code", "550 spam: (hidden) is your code"),
            ("550 spam: 482 913, 48-29-13", "550 spam: (hidden), (hidden)"), ("250 2.0.0 Ok", "250 2.0.0 Ok"),
        ])
    func hides(given: String, shown: String) { #expect(text.clean(given) == shown) }

    @Test("A reason is one short line of visible characters")
    func oneLine() {
        #expect(text.clean("a\r\nb\0c\u{1B}[2Jd\u{202E}e\u{2028}f") == "a b c [2Jd e f")
        #expect(text.clean(String(repeating: "é", count: 500)).count == 200)
    }
}

import SessionDomain
import Testing

@testable import SessionDelivery

@Suite("Reasons of failures")
struct ReasonTextTests {
    private let text = ReasonText(hiding: ["pa55word", "alice@example.com", ""], code: "482913")

    // Proves: M7
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

    // Proves: M7
    @Test(
        "What servers repeat of a login is hidden, also if it is cut",
        arguments: [
            ("alice", "pa55word", "535 AGFsaWNlAHBhNTV3b3Jk no", "535 (hidden) no"),
            ("alice", "pa55word", "535 got cGE1NXdvcmQ=", "535 got (hidden)"),
            (
                "alice", "ya29.token",
                "535 dXNlcj1hbGljZQFhdXRoPUJlYXJlciB5YTI5LnRva2VuAQE= is no token", "535 (hidden) is no token"
            ),
            ("alice", "ya29.token", "535 dXNlcj1hbGljZQFhdXRoPUJlYXJlciB5YTI5", "535 (hidden)"),
            (
                "a", "0123456789-0123456789-0123456789",
                "535 0123456789-0123456789-0123 MDEyMzQ1Njc4OS0wMTIzNDU2Nzg5LTAx",
                "535 (hidden) (hidden)"
            ), ("alice", "", "535 5.7.8 no", "535 5.7.8 no"),
        ])
    func logins(username: String, secret: String, given: String, shown: String) throws {
        let settings = RouteSettings(kind: .smtp, host: "mail.example.com", username: username)
        let server = try #require(SMTPServer(settings))
        #expect(ReasonText(hiding: server.credentials(with: secret), code: nil).clean(given) == shown)
    }

    @Test("A reason is one short line of visible characters")
    func oneLine() {
        #expect(text.clean("a\r\nb\0c\u{1B}[2Jd\u{202E}e\u{2028}f") == "a b c [2Jd e f")
        #expect(text.clean(String(repeating: "é", count: 500)).count == 200)
    }
}

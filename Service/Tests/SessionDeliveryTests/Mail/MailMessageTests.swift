import Foundation
import SessionDomain
import SessionForeignJudge
import SessionTokens
import Testing

@testable import SessionDelivery

@Suite("Mails")
struct MailMessageTests {
    private func mail(
        from: String = "Example <login@example.com>", to: String = "alice@example.com", subject: String = "Your code",
        id: String = "msg_01ABC", text: String = "482913 is your code.\n", html: String? = "<p>482913</p>\n",
        locale: String = "en"
    ) throws -> MailMessage {
        guard let from = MailAddress(from), let to = MailAddress(to) else { throw TestFailure() }
        return MailMessage(
            from: from, to: to, subject: subject, id: id, date: now, locale: locale, text: text, html: html)
    }

    /// What Python's parser sees.
    private func judged(_ mail: MailMessage) throws -> [String: JSONValue] {
        let verdict = try ForeignJudge.ask(
            .parseMail, ["mail": .string(Data(try mail.rendered()).base64EncodedString())])
        guard let seen = verdict.mail else { throw TestFailure() }
        #expect(seen["defects"] == .array([]))
        #expect(seen["bare_line_ends"] == .int(0))
        guard case .int(let longest) = seen["longest_line"] else { throw TestFailure() }
        #expect(longest <= 78)
        return seen
    }

    private func headers(_ seen: [String: JSONValue]) throws -> [String: String] {
        guard case .array(let pairs) = seen["headers"] else { throw TestFailure() }
        return try Dictionary(
            uniqueKeysWithValues: pairs.map { pair in
                guard case .array(let pair) = pair, let name = pair[0].stringValue, let value = pair[1].stringValue
                else {
                    throw TestFailure()
                }
                return (name, value)
            })
    }

    @Test("A mail has each header once, and a text and an HTML part")
    func standard() throws {
        let seen = try judged(mail())
        var headers = try headers(seen)
        let type = headers.removeValue(forKey: "Content-Type") ?? ""
        #expect(type.hasPrefix("multipart/alternative"))
        #expect(
            headers == [
                "Date": "Sun, 22 Nov 2026 10:00:00 +0000", "From": "Example <login@example.com>",
                "To": "alice@example.com", "Subject": "Your code", "Message-ID": "<msg_01ABC@example.com>",
                "Auto-Submitted": "auto-generated", "MIME-Version": "1.0", "Content-Language": "en",
            ])
        #expect(
            seen["parts"]
                == .array([
                    .array(["text/plain", "482913 is your code.\n"]), .array(["text/html", "<p>482913</p>\n"]),
                ]))
    }

    @Test("A mail without HTML has one part")
    func textOnly() throws {
        let seen = try judged(mail(html: nil))
        #expect(seen["type"] == "text/plain")
        #expect(seen["parts"] == .array([.array(["text/plain", "482913 is your code.\n"])]))
    }

    // Proves: M6
    @Test(
        "Subjects and names of any language arrive unchanged",
        arguments: [
            "Dein Code für Müller & Söhne", "あなたの認証コードは次のとおりです。誰にも教えないでください。有効期限は十分です。",
            "=?UTF-8?B?evil?=", String(repeating: "long subject ", count: 20).trimmingCharacters(in: .whitespaces),
            "😀👨‍👩‍👧‍👦 családi kód", "a\u{301}\u{302}e", "quoted \"name\" and \\",
        ])
    func international(text: String) throws {
        let seen = try judged(mail(subject: text))
        #expect(try headers(seen)["Subject"] == text)
    }

    @Test(
        "The sender's name arrives unchanged",
        arguments: ["Müller, Söhne", "認証サービス", "O'Neil, Inc.", "Shop (Login)"])
    func name(text: String) throws {
        let seen = try judged(mail(from: "\(text) <login@example.com>"))
        #expect(seen["from"] == .array([.array([.string(text), "login@example.com"])]))
    }

    @Test(
        "Texts arrive unchanged, whatever encoding fits",
        arguments: [
            ".\n..\nfrom dots\n", "From the start\n", "trailing blank \t\nnext\n",
            String(repeating: "x", count: 5000) + "\n",
            "100 % = 1\n=3D\n", "日本語のテキスト。" + String(repeating: "コード", count: 300) + "\n",
            "één übung\n", "\n\n\n", "--=_msg_01ABC\n--=_msg_01ABC--\n",
        ])
    func bodies(text: String) throws {
        let seen = try judged(mail(text: text, html: text))
        #expect(
            seen["parts"]
                == .array([.array(["text/plain", .string(text)]), .array(["text/html", .string(text)])]))
    }

    @Test("All line ends become CRLF, and a missing one at the end is added")
    func lineEnds() throws {
        let seen = try judged(mail(text: "a\rb\r\nc\nd", html: nil))
        #expect(seen["parts"] == .array([.array(["text/plain", "a\nb\nc\nd\n"])]))
    }

    @Test("An international domain is written in its ASCII form, an international local part as it is")
    func addresses() throws {
        let domain = try judged(mail(from: "login@bücher.example", to: "alice@münchen.example"))
        #expect(domain["to"] == .array([.array(["", "alice@xn--mnchen-3ya.example"])]))
        #expect(try headers(domain)["Message-ID"] == "<msg_01ABC@xn--bcher-kva.example>")
        let local = try judged(mail(to: "jürgen@münchen.example"))
        #expect(local["to"] == .array([.array(["", "jürgen@xn--mnchen-3ya.example"])]))
    }

    // Proves: M6
    @Test(
        "A line break or a control character in a header is an error",
        arguments: [
            "a\r\nBcc: eve@example.com", "a\nb", "a\rb", "a\0b", "a\u{7F}b", "a\u{85}b", "a\u{2028}b", "a\u{1B}[2J",
        ])
    func injection(text: String) throws {
        #expect(throws: MailMessage.InvalidValue.self) { try mail(subject: text).rendered() }
        #expect(throws: MailMessage.InvalidValue.self) { try mail(id: text).rendered() }
        #expect(throws: MailMessage.InvalidValue.self) { try mail(locale: text).rendered() }
        #expect(MailAddress("\(text) <login@example.com>") == nil)
        #expect(MailAddress("login@example.com\(text)") == nil)
    }

    @Test("U+0000 in a part is an error")
    func nullCharacter() throws {
        #expect(throws: MailMessage.InvalidValue(field: "body", problem: "contains U+0000")) {
            try mail(text: "a\0b").rendered()
        }
    }
}

import SessionDomain
import Testing

@testable import SessionDelivery

@Suite("Conversations with mail servers")
struct SMTPConversationTests {
    /// A conversation up to the reply to RCPT.
    private func conversation() -> SMTPConversation {
        var talk = SMTPConversation()
        talk.received("220 mail.example.com ESMTP")
        talk.sent("EHLO client\r\n")
        for line in ["250-mail.example.com", "250-STARTTLS", "250 SIZE 1000\r\n"] { talk.received(line) }
        talk.sent("STARTTLS\r\n")
        talk.received("220 go ahead")
        talk.sent("EHLO client\r\n")
        for line in ["250-mail.example.com", "250-AUTH PLAIN LOGIN", "250-smtputf8", "250 8BITMIME"] {
            talk.received(line)
        }
        talk.sent("AUTH PLAIN\r\n")
        talk.received("334 ")
        talk.sent("AGFsaWNlAHNlY3JldA==\r\n")
        talk.received("235 welcome")
        talk.sent("MAIL FROM:<a@example.com>\r\n")
        talk.received("250 sender ok")
        talk.sent("RCPT TO:<b@example.com>\r\n")
        return talk
    }

    @Test("Each reply belongs to the command before it")
    func replies() {
        var talk = conversation()
        #expect(talk.step == .recipient)
        talk.received("250-2.1.5 first")
        talk.received("250 2.1.5 second")
        #expect(talk.lastReply == .init(code: 250, text: "250 2.1.5 first 2.1.5 second"))
        talk.sent("DATA\r\n")
        talk.received("354 go ahead")
        #expect(talk.step == .content)
        talk.received("250 queued as 17")
        talk.sent("QUIT\r\n")
        talk.received("221 bye")
        #expect(talk.replies[.content]?.text == "250 queued as 17")
        #expect(talk.replies[.authentication]?.code == 235)
        #expect(talk.lastReply?.code == 250, "goodbye says nothing about the mail")
    }

    @Test("The extensions are those of the last EHLO, with names in upper case")
    func extensions() {
        #expect(conversation().extensions == ["AUTH": "PLAIN LOGIN", "SMTPUTF8": "", "8BITMIME": ""])
    }

    @Test("Of an endless reply only a part is kept")
    func endless() {
        var talk = conversation()
        for _ in 0..<1000 { talk.received("250-" + String(repeating: "x", count: 1000)) }
        talk.received("250 end")
        #expect(talk.lastReply?.text.utf8.count ?? 0 < 60_000)
        #expect(talk.replies[.recipient]?.code == 250)
    }

    @Test("Credentials are not kept")
    func secrets() {
        #expect(!"\(conversation())".contains("AGFsaWNl"))
    }

    @Test("Text that is no reply is ignored", arguments: ["", "25", "abc hello", "999 x", "\r\n", "-50 x"])
    func garbage(line: String) {
        var talk = conversation()
        talk.received(line)
        #expect(talk.lastReply?.text == "250 sender ok")
    }
}

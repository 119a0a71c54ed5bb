import SessionDomain
import Testing

@Suite("What an operator writes about a login with a code")
struct OTPLoginChangeTests {
    private func refusal(_ change: OTPLoginChange) throws -> Refusal? {
        let app = App(id: try #require(AppID("testapp")), name: "Shop", createdAt: Timestamp(seconds: 0))
        do {
            try change.check(in: app)
            return nil
        } catch {
            return error
        }
    }

    @Test("The ids for a message route are one line: they become headers and members of messages")
    func lines() throws {
        #expect(try refusal(OTPLoginChange(channel: .sms, templateID: "HX 1", senderID: "Shop é")) == nil)
        for text in ["a\nb", "a\r", "\u{2028}", "\u{0}", "a\tb", " a", "a ", "\u{a0}", "a\u{202e}b"] {
            let problem = "must be one line, without control characters and outer spaces"
            #expect(
                try refusal(OTPLoginChange(channel: .sms, templateID: text))
                    == .invalidField("template_id", problem))
            #expect(
                try refusal(OTPLoginChange(channel: .sms, senderID: text))
                    == .invalidField("sender_id", problem))
        }
        let long = String(repeating: "a", count: 101)
        #expect(
            try refusal(OTPLoginChange(channel: .sms, senderID: long))
                == .invalidField("sender_id", "must have at most 100 characters"))
    }

    @Test("The sender of mail is an address")
    func sender() throws {
        for text in ["login@example.com", "Example <login@example.com>"] {
            #expect(try refusal(OTPLoginChange(channel: .email, senderID: text)) == nil)
        }
        for text in ["Shop", "login@", "<login@example.com", "\"a\"b <login@example.com>", ""] {
            #expect(
                try refusal(OTPLoginChange(channel: .email, senderID: text))
                    == .invalidField(
                        "sender_id", "must be a mail address, such as login@example.com or Example <login@example.com>")
            )
        }
    }

    @Test(
        "The service's mail route sends for its own domain only, an app's own for any, and both send in spite of a bad sender",
        arguments: [
            ("shop@example.com", "shop@example.com", "shop@example.com"),
            ("Shop <shop@EXAMPLE.com>", "shop@EXAMPLE.com", "shop@EXAMPLE.com"),
            ("ceo@bank.example", "login@example.com", "ceo@bank.example"),
            ("ceo@sub.example.com", "login@example.com", "ceo@sub.example.com"),
            ("ceo@evilexample.com", "login@example.com", "ceo@evilexample.com"),
            ("Shop", "login@example.com", "login@example.com"), (nil, "login@example.com", "login@example.com"),
        ] as [(String?, String, String)])
    func routes(_ sender: String?, ofService: String, ofApp: String) throws {
        let own = try #require(MailAddress("login@example.com"))
        #expect(MailAddress.sender(sender, onRouteFrom: own, isOfService: true).address == ofService)
        #expect(MailAddress.sender(sender, onRouteFrom: own, isOfService: false).address == ofApp)
    }
}

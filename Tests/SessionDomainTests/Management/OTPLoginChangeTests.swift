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
}

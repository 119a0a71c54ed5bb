import Testing

@testable import SessionDomain

@Suite("What an operator writes about a login with a code")
struct OTPLoginConfigTests {
    private func refusal(
        _ change: OTPLoginConfig, _ routes: ConfiguredRoutes = ConfiguredRoutes(), ofApp own: DeliveryConfig? = nil
    ) throws -> Refusal? {
        var app = App(id: try #require(AppID("testapp")), name: "Shop", createdAt: Timestamp(seconds: 0))
        app.delivery = own
        do {
            try change.check(in: app, routes)
            return nil
        } catch {
            return error
        }
    }

    private func login(
        _ channel: OTPLoginConfig.Channel, templateID: String? = nil, senderID: String? = nil
    ) -> OTPLoginConfig {
        var login = OTPLoginConfig(id: "", channel: channel, isDefault: false, at: Timestamp(seconds: 0))
        (login.templateID, login.senderID) = (templateID, senderID)
        return login
    }

    @Test("The ids for a message route are one line: they become headers and members of messages")
    func lines() throws {
        #expect(try refusal(login(.sms, templateID: "HX 1", senderID: "Shop é")) == nil)
        for text in ["a\nb", "a\r", "\u{2028}", "\u{0}", "a\tb", " a", "a ", "\u{a0}", "a\u{202e}b"] {
            let problem = "must be one line, without control characters and outer spaces"
            #expect(
                try refusal(login(.sms, templateID: text))
                    == .invalidField("template_id", problem))
            #expect(
                try refusal(login(.sms, senderID: text))
                    == .invalidField("sender_id", problem))
        }
        let long = String(repeating: "a", count: 101)
        #expect(
            try refusal(login(.sms, senderID: long))
                == .invalidField("sender_id", "must have at most 100 characters"))
    }

    @Test("The sender of mail is an address")
    func sender() throws {
        for text in ["login@example.com", "Example <login@example.com>"] {
            #expect(try refusal(login(.email, senderID: text)) == nil)
        }
        for text in ["Shop", "login@", "<login@example.com", "\"a\"b <login@example.com>", ""] {
            #expect(
                try refusal(login(.email, senderID: text))
                    == .invalidField(
                        "sender_id", "must be a mail address, such as login@example.com or Example <login@example.com>")
            )
        }
    }

    // Proves: M15
    @Test(
        "An app without a mail route of its own sends mail from the domains of the service only",
        arguments: [
            ("shop@example.com", true), ("Shop <shop@EXAMPLE.com>", true), ("a@second.example", true),
            ("a@münchen.example", true), ("a@xn--mnchen-3ya.example", true), (nil, true),
            ("ceo@bank.example", false), ("ceo@sub.example.com", false), ("ceo@evilexample.com", false),
        ] as [(String?, Bool)])
    func domains(_ sender: String?, isAllowed: Bool) throws {
        let server = ConfiguredRoutes.Route(
            settings: RouteSettings(kind: .smtp, host: "mail.example.com", from: "login@example.com"), secret: nil)
        let further = Set(["Second.example", "münchen.example"].compactMap(MailAddress.domain))
        let service = ConfiguredRoutes([.email: [server]], furtherSenderDomains: further)
        let change = login(.email, senderID: sender)
        let refused = try refusal(change, service)
        #expect((refused == nil) == isAllowed)
        if case .invalidField("sender_id", let problem)? = refused {
            #expect(problem.contains("example.com, münchen.example, second.example"))
        } else {
            #expect(isAllowed)
        }
        var own = DeliveryConfig(at: Timestamp(seconds: 0))
        own.sms = [.init(settings: RouteSettings(kind: .webhook, url: "https://b.example"))]
        #expect((try refusal(change, service, ofApp: own) == nil) == isAllowed)
        own.email = [.init(settings: RouteSettings(kind: .webhook, url: "https://b.example"))]
        #expect(try refusal(change, service, ofApp: own) == nil)
        let webhook = ConfiguredRoutes.Route(
            settings: RouteSettings(kind: .webhook, url: "https://b.example"), secret: nil)
        #expect(try refusal(change, ConfiguredRoutes([.email: [webhook]])) == nil)
    }

    @Test("A domain is one of mail addresses", arguments: ["", "a b", "example", "a@b.example", "<b.example>", "x>"])
    func noDomain(_ text: String) { #expect(MailAddress.domain(text) == nil) }

    @Test(
        "The service's mail route sends for its own domains only, an app's own for any, and both send in spite of a bad sender",
        arguments: [
            ("shop@example.com", "shop@example.com", "shop@example.com"),
            ("Shop <shop@EXAMPLE.com>", "shop@EXAMPLE.com", "shop@EXAMPLE.com"),
            ("ceo@bank.example", "login@example.com", "ceo@bank.example"),
            ("a@second.example", "a@second.example", "a@second.example"),
            ("ceo@sub.example.com", "login@example.com", "ceo@sub.example.com"),
            ("ceo@evilexample.com", "login@example.com", "ceo@evilexample.com"),
            ("Shop", "login@example.com", "login@example.com"), (nil, "login@example.com", "login@example.com"),
        ] as [(String?, String, String)])
    func routes(_ sender: String?, ofService: String, ofApp: String) throws {
        let own = try #require(MailAddress("login@example.com"))
        #expect(MailAddress.sender(sender, onRouteFrom: own, domains: ["second.example"]).address == ofService)
        #expect(MailAddress.sender(sender, onRouteFrom: own, domains: nil).address == ofApp)
    }
}

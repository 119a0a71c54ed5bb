import Testing

@testable import SessionDomain

@Suite("Links in texts of operators")
struct LinkedNameTests {
    private func app(_ name: String = "Shop", templates: [MessageTemplate] = []) throws -> App {
        var app = App(id: try appID(), name: name, createdAt: now)
        app.messages.templates = templates
        return app
    }

    private func rename(_ app: App, _ name: String) throws {
        var next = app
        (next.name, next.signUp) = (name, !app.signUp)
        try App.schema.check(next, replacing: app)
    }

    private func login(_ channel: OTPLoginConfig.Channel, sender: String) -> OTPLoginConfig {
        var login = OTPLoginConfig(id: "", channel: channel, isDefault: false, at: now)
        login.senderID = sender
        return login
    }

    private func template(_ text: String) -> MessageTemplate {
        MessageTemplate(channel: .sms, purpose: .signIn, locale: .english, text: "{{code}} \(text)")
    }

    /// The field that is refused.
    private func field(_ set: () throws -> Void) -> String? {
        do {
            try set()
            return nil
        } catch {
            if case Refusal.invalidField(let field, _) = error { return field }
            if let problem = error as? RouteProblem { return problem.field.rawValue }
            return "\(error)"
        }
    }

    // Proves: M14
    @Test(
        "Every text of an operator that reaches a message is refused by its field when it has a link",
        arguments: [
            "http://evil.example/login", "Booking.com", "Shop (evil.com)", "WWW.evil", "mailto:a", "tel:+49170",
            "пример.рф", "my_shop.com", "bank@evil.example", "t.co/abc", "x.com", "evil.xn--p1ai", "203.0.113.7/login",
            "localhost:8080/x", "evil．com/login", "evil。example", "evil｡com", "exampe\u{301}.com", "evil.c\u{34F}om",
            "sms:+1900", "call tel:900",
        ])
    func refused(_ link: String) throws {
        let app = try app()
        #expect(field { try rename(app, link) } == "name")
        #expect(field { try template(link).validate() } == "text")
        let mail = MessageTemplate(
            channel: .email, purpose: .signIn, locale: .english, subject: link, text: "{{code}}")
        #expect(field { try mail.validate() } == "subject")
        let named = "\(link) <login@shop.example>"
        for login in [login(.sms, sender: link), login(.email, sender: named)] {
            #expect(field { try login.check(in: app, ConfiguredRoutes()) } == "sender_id")
        }
        let server = RouteSettings(kind: .smtp, host: "mail.example.com", from: named)
        #expect(field { try server.check(for: .email, hasSecret: false) } == "from")
        for kind in [RouteSettings.Kind.twilio, .vonage] {
            #expect(RouteSettings.problem(with: link, as: .from, of: kind)?.field == .from)
        }
    }

    @Test(
        "A text without a link is accepted, and a sender is an address",
        arguments: [
            "Shop", "Shop Inc.", "Dr. Müller & Söhne", "Shop 2.0", "A/B", "24/7: Shop", "Hotel: Post", "e.g. this",
            "9.30",
        ])
    func accepted(_ text: String) throws {
        let app = try app()
        try rename(app, text)
        #expect(try self.app(text).nameInMessages == text)
        try login(.sms, sender: text).check(in: app, ConfiguredRoutes())
        try login(.email, sender: "\(text) <login@shop.example>").check(in: app, ConfiguredRoutes())
        try RouteSettings(kind: .smtp, host: "mail.example.com", from: "\(text) <login@shop.example>")
            .check(for: .email, hasSecret: false)
    }

    @Test(
        "A name and a template that are a link only together are refused, whichever comes second",
        arguments: [("evil.{{app_name}}", "com"), ("evil{{app_name}}", ".com"), ("http:{{app_name}}", "//evil")])
    func together(_ text: String, _ name: String) throws {
        try template(text).validate()
        #expect(field { try template(text).checkLinks(withName: name) } == "text")
        let app = try app(templates: [template(text)])
        #expect(field { try rename(app, name) } == "name")
    }

    @Test("A name of an earlier version stays, is sent back by forms, and is no link in messages")
    func stored() throws {
        let old = try app("http://evil.example/login")
        try rename(old, old.name)
        #expect(old.nameInMessages == "http evil example login")
        let message = MessageTemplates(old).render(
            .signIn, .email, in: .english, values: .code("123456", lifetime: 600))
        #expect(message.subject == "Your sign-in code for http evil example login")
        #expect(!message.text.contains("evil.example") && message.html?.contains("evil.example") == false)
        let test = DeliveryTestMessage(
            to: try CanonicalIdentifier(type: "email_address", value: "ada@example.com"), app: old, timeout: 20)
        #expect(test.message(.live).subject == "Test message of http evil example login")
    }

    @Test(
        "A sender of an earlier version is no link in messages, and keeps its address",
        arguments: [
            ("Evil.com <login@shop.example>", true, "Evil com <login@shop.example>"),
            ("login@shop.example", true, "login@shop.example"), ("Evil.com", false, "Evil com"),
            ("Shop", false, "Shop"),
        ])
    func storedSender(_ sender: String, isMail: Bool, shown: String) throws {
        let message = OutboundMessage(
            id: "msg_1", appID: try appID(), appName: "Shop", channel: isMail ? .email : .sms, purpose: .signIn,
            to: "a@example.com", locale: "en", code: "1", subject: nil, text: "1", html: nil, senderID: sender,
            expiresAt: now)
        #expect(message.senderID == shown)
    }
}

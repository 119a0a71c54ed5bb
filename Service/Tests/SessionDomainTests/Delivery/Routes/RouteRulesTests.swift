import Testing

@testable import SessionDomain

@Suite("Settings of routes for messages")
struct RouteRulesTests {
    private static let account = "AC" + String(repeating: "0", count: 32)

    private static let smtp = RouteSettings(
        kind: .smtp, host: "mail.example.com", username: "shop", from: "Shop <shop@example.com>")
    private static let twilio = RouteSettings(kind: .twilio, account: account, from: "+15005550006")
    private static let vonage = RouteSettings(kind: .vonage, username: "key1", from: "Shop")
    private static let prelude = RouteSettings(kind: .prelude)
    private static let webhook = RouteSettings(kind: .webhook, url: "https://b.example/")

    private static func changed(_ settings: RouteSettings, _ change: (inout RouteSettings) -> Void) -> RouteSettings {
        var settings = settings
        change(&settings)
        return settings
    }

    @Test(
        "A complete route is valid for its channels",
        arguments: [
            (smtp, .email, true), (webhook, .email, false), (webhook, .sms, false), (twilio, .sms, true),
            (vonage, .sms, true), (prelude, .sms, true), (prelude, .email, true),
            (changed(smtp) { $0.username = nil }, .email, false),
            (changed(smtp) { ($0.port, $0.tls) = (465, .implicit) }, .email, true),
            (changed(smtp) { ($0.port, $0.tls) = (587, .implicit) }, .email, true),
            (changed(smtp) { $0.port = 465 }, .email, true),
        ] as [(RouteSettings, OTPLoginConfig.Channel, Bool)])
    func valid(settings: RouteSettings, channel: OTPLoginConfig.Channel, hasSecret: Bool) throws {
        try settings.check(for: channel, hasSecret: hasSecret)
    }

    @Test(
        "An invalid route names its setting",
        arguments: [
            (smtp, .sms, true, .kind), (twilio, .email, true, .kind), (vonage, .email, true, .kind),
            (changed(smtp) { $0.host = nil }, .email, true, .host),
            (changed(smtp) { $0.host = "" }, .email, true, .host),
            (changed(smtp) { $0.from = nil }, .email, true, .from),
            (changed(smtp) { $0.from = "shop" }, .email, true, .from),
            (changed(smtp) { $0.port = 65_536 }, .email, true, .port),
            (changed(smtp) { ($0.port, $0.tls) = (465, .startTLS) }, .email, true, .tls),
            (smtp, .email, false, .secret),
            (changed(smtp) { $0.username = nil }, .email, true, .username),
            (changed(smtp) { $0.username = "a\nb" }, .email, true, .username),
            (changed(smtp) { $0.url = "https://x.example" }, .email, true, .url),
            (changed(twilio) { $0.account = "AC1" }, .sms, true, .account),
            (changed(twilio) { $0.username = "SK1" }, .sms, true, .username), (twilio, .sms, false, .secret),
            (changed(twilio) { $0.from = nil }, .sms, true, .from),
            (changed(vonage) { $0.username = nil }, .sms, true, .username), (prelude, .sms, false, .secret),
            (changed(webhook) { $0.url = nil }, .sms, false, .url), (webhook, .sms, true, .secret),
            (changed(webhook) { $0.from = "Shop" }, .sms, false, .from),
        ] as [(RouteSettings, OTPLoginConfig.Channel, Bool, RouteField)])
    func invalid(
        settings: RouteSettings, channel: OTPLoginConfig.Channel, hasSecret: Bool, field: RouteField
    ) {
        let problem = #expect(throws: RouteProblem.self) { try settings.check(for: channel, hasSecret: hasSecret) }
        #expect(problem?.field == field)
    }

    @Test("Everything that is wrong with a route is found, with one problem for each setting")
    func everything() {
        let route = RouteSettings(
            kind: .smtp, host: "a\nb", port: 0, authentication: .login, account: "AC1", from: "")
        let problems = route.problems(for: .email, hasSecret: false)
        #expect(problems.map(\.field) == [.account, .host, .from, .port, .username])
        #expect(problems.first?.problem == "is not a setting of a smtp route")
        #expect(RouteSettings(kind: .twilio).problems(for: .email, hasSecret: false).map(\.field) == [.kind])
    }

    @Test(
        "A mail server is a name or an address",
        arguments: [
            ("mail.example.com", true), ("MAIL.example.com", true), ("localhost", true),
            ("mail_1.xn--mil-qla.example", true),
            ("192.0.2.1", true), ("2001:db8::1", true), ("", false), ("mail.example.com.", false), ("a..b", false),
            ("mail.example.com/x", false), ("mail.example.com?x", false), ("mail.example.com#x", false),
            ("mail.example.com:587", false), ("smtp://mail.example.com", false), ("user@mail.example.com", false),
            ("[2001:db8::1]", false), ("fe80::1%eth0", false), ("mäil.example.com", false), ("mail example", false),
            ("%6dail.example.com", false), (String(repeating: "x", count: 64) + ".com", false),
        ] as [(String, Bool)])
    func hosts(host: String, isValid: Bool) {
        let route = Self.changed(Self.smtp) { $0.host = host }
        do {
            try route.check(for: .email, hasSecret: true)
            #expect(isValid)
        } catch {
            #expect(error.field == .host && !isValid)
        }
    }

    @Test(
        "A sender is an address with an optional name",
        arguments: [
            ("login@example.com", nil, "login@example.com"), ("Shop <login@example.com>", "Shop", "login@example.com"),
            ("\"Shop, Inc.\" <login@example.com>", "Shop, Inc.", "login@example.com"),
            (" <login@example.com>", nil, "login@example.com"),
        ] as [(String, String?, String)])
    func sender(text: String, name: String?, address: String) throws {
        let sender = try #require(MailAddress(text))
        #expect(sender.name == name)
        #expect(sender.address == address)
    }

    @Test(
        "Other text is no sender",
        arguments: [
            "", "Shop", "login@example", "<login@example.com", "a@example.com, b@example.com", "<a@example.com> x",
            "a@example.com\r\nBcc: b@example.com", "a\nb <a@example.com>", "Shop <a@example.com> <b@example.com>",
            "\"a\\\"b\" <a@example.com>",
        ])
    func noSender(text: String) { #expect(MailAddress(text) == nil) }

    @Test("A secret is one line of visible text", arguments: ["", "a\nb", "a\0", String(repeating: "x", count: 8193)])
    func secrets(text: String) { #expect(!RouteSecret.isValid(text)) }

    @Test("The description of a secret does not contain it")
    func description() {
        let secret = RouteSecret.value("s3cr3t")
        let route = ConfiguredRoutes.Route(settings: Self.smtp, secret: secret)
        #expect(!"\(secret) \(String(reflecting: secret)) \(route)".contains("s3cr3t"))
    }

    @Test("Another place is another destination, another sender is not")
    func destinations() {
        #expect(Self.smtp.hasSameDestination(as: Self.changed(Self.smtp) { $0.from = "other@example.com" }))
        for change: (inout RouteSettings) -> Void in [
            { $0.host = "other.example.com" }, { $0.port = 2525 }, { $0.tls = .implicit }, { $0.username = "other" },
            { $0.url = "https://x.example" }, { $0.account = "other" },
        ] {
            #expect(!Self.smtp.hasSameDestination(as: Self.changed(Self.smtp, change)))
        }
    }
}

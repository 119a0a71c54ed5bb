import Testing

@testable import SessionDomain

@Suite("Built-in templates")
struct BuiltInTemplateTests {
    private static let tags: [String] = ["de", "en", "es", "fr", "ja"]
    private static let templates = MessageTemplates(appName: "Example", settings: MessageSettings())
    private static let rows: [(String, TemplatePurpose, OTPLoginConfig.Channel)] = tags.flatMap { tag in
        TemplatePurpose.allCases.flatMap { purpose in
            OTPLoginConfig.Channel.allCases.map { (tag, purpose, $0) }
        }
    }

    private func values(_ purpose: TemplatePurpose) -> TemplateValues {
        if purpose.hasCode { return .code("123456", lifetime: 600) }
        var values = TemplateValues()
        values.time = now
        values.device = .iPhone
        values.identifier = "m***@example.com"
        return values
    }

    private func message(
        _ tag: String, _ purpose: TemplatePurpose, _ channel: OTPLoginConfig.Channel
    ) throws -> RenderedMessage {
        Self.templates.render(
            purpose, channel, in: try #require(MessageLocale(tag)), values: values(purpose))
    }

    @Test("The languages are English, French, German, Spanish and Japanese")
    func languages() {
        #expect(TemplateLanguage.locales.map(\.tag).sorted() == Self.tags)
    }

    // Proves: M13
    @Test("Each template is valid by the rules for operators", arguments: rows)
    func valid(tag: String, purpose: TemplatePurpose, channel: OTPLoginConfig.Channel) throws {
        let locale = try #require(MessageLocale(tag))
        let template = Self.templates.template(purpose, channel, in: locale)
        #expect(template.channel == channel && template.purpose == purpose && template.locale == locale)
        try template.validate()
    }

    // Proves: M18
    @Test("Each message has the values of its purpose, in its language", arguments: rows)
    func rendered(tag: String, purpose: TemplatePurpose, channel: OTPLoginConfig.Channel) throws {
        let message = try message(tag, purpose, channel)
        #expect(message.locale.tag == tag)
        #expect(message.text.contains("Example") && !message.text.contains("{{") && !message.text.contains("}}"))
        #expect(message.text.contains("123456") == purpose.hasCode)
        #expect((message.subject == nil) == (channel == .sms) && (message.html == nil) == (channel == .sms))
        #expect(message.subject?.contains("Example") != false && message.subject?.contains("123456") != true)
        if channel == .email {
            #expect(message.text.contains("10") == purpose.hasCode)
            #expect(message.text.contains(time(tag)) != purpose.hasCode)
            #expect(message.text.contains("iPhone") == purpose.variables.contains(.device))
        }
        #expect(message.text.contains("m***@example.com") == purpose.variables.contains(.identifier))
        // Words that only this language has, so that no two are mixed up.
        let words = [
            "de": ["Ihr", "Sie", "wurde", "Vorgang"], "en": ["your", "Use this", "session", "A new"],
            "es": ["su ", "código", "Se ha", "acceso"], "fr": ["vous", "votre", "session", "Un nouveau"],
            "ja": ["の", "が"],
        ]
        #expect(try #require(words[tag]).contains { message.text.contains($0) })
    }

    private func time(_ tag: String) -> String {
        [
            "de": "15.01.2027, 08:00 UTC", "en": "15 Jan 2027, 08:00 UTC", "es": "15/01/2027 08:00 UTC",
            "fr": "15/01/2027 08:00 UTC", "ja": "2027/01/15 08:00 UTC",
        ][tag] ?? ""
    }

    @Test(
        "Each SMS fits into one segment",
        arguments: tags.flatMap { tag in TemplatePurpose.allCases.map { (tag, $0) } })
    func oneSegment(tag: String, purpose: TemplatePurpose) throws {
        let length = SMSLength(try message(tag, purpose, .sms).text)
        #expect(length.segments == 1, "\(length.units) characters in \(length.encoding)")
        let needsUCS2 = tag == "ja" || (tag == "es" && purpose.hasCode)
        #expect((length.encoding == .ucs2) == needsUCS2, "\(length.otherCharacters)")
    }

    @Test(
        "The SMS of a login, in each language",
        arguments: [
            ("de", "123456 ist Ihr Code für Example. Geben Sie ihn an niemanden weiter."),
            ("en", "123456 is your code for Example. Never share it with anyone."),
            ("es", "123456 es su código de Example. No lo comparta con nadie."),
            ("fr", "123456 est votre code pour Example. Ne le partagez avec personne."),
            ("ja", "Exampleの認証コードは123456です。誰にも教えないでください。"),
        ])
    func signIn(tag: String, text: String) throws {
        #expect(try message(tag, .signIn, .sms).text == text)
    }

    // Proves: M14
    @Test("A notice asks for nothing and has no link", arguments: tags)
    func notices(tag: String) throws {
        for purpose in TemplatePurpose.allCases where !purpose.hasCode {
            for channel in OTPLoginConfig.Channel.allCases {
                let message = try message(tag, purpose, channel)
                let all = message.text + (message.subject ?? "") + (message.html ?? "")
                for link in ["://", "www.", "href", "mailto:", "tel:"] { #expect(!all.contains(link), "\(purpose)") }
            }
        }
    }

    @Test("An unknown device has a name in each language, and other times are in the form of ISO 8601")
    func unknownDevice() throws {
        var values = values(.newDevice)
        values.device = .unknown
        let german = Self.templates.render(.newDevice, .email, in: try #require(MessageLocale("de")), values: values)
        #expect(german.text.contains("ein unbekanntes Gerät"))
        let own = MessageTemplate(
            channel: .sms, purpose: .newDevice, locale: try #require(MessageLocale("it")), text: "{{device}} {{time}}")
        #expect(Self.templates.render(own, values: values).text == "an unknown device 2027-01-15 08:00 UTC")
    }
}

import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Templates of an app")
struct MessageTemplatesTests {
    private func locale(_ tag: String) throws -> MessageLocale { try #require(MessageLocale(tag)) }

    private func own(
        _ tag: String, _ channel: OTPLoginConfig.Channel = .sms, _ purpose: TemplatePurpose = .signIn
    ) throws -> MessageTemplate {
        MessageTemplate(
            channel: channel, purpose: purpose, locale: try locale(tag), subject: channel == .email ? "Own" : nil,
            text: "\(tag) {{code}}")
    }

    private func templates(_ own: [MessageTemplate], default tag: String = "en") throws -> MessageTemplates {
        var settings = MessageSettings()
        settings.templates = own
        settings.defaultLocale = try locale(tag)
        return MessageTemplates(appName: "Example", settings: settings)
    }

    // Proves: M22
    @Test(
        "A message is in the first requested language that has a template, else in the app's, else in English",
        arguments: [
            (["de"], "en", "de"), (["de-CH", "fr"], "en", "de"), (["it", "fr"], "en", "fr"), (["it"], "ja", "ja"),
            ([], "es", "es"), (["it"], "nl", "en"), ([], "pt-BR", "pt-BR"), (["pt"], "de", "de"),
            (["pt-BR"], "de", "pt-BR"), (["pt-PT"], "de", "de"), (["fr-CA"], "en", "fr-CA"), (["fr"], "en", "fr"),
        ])
    func language(requested: [String], defaultTag: String, tag: String) throws {
        let templates = try templates([try own("pt-BR"), try own("fr-CA")], default: defaultTag)
        #expect(templates.locale(.signIn, .sms, requested: requested).tag == tag)
    }

    @Test("A language is one of the message's own channel and purpose")
    func otherMessages() throws {
        let templates = try templates([try own("it")])
        #expect(templates.locale(.signIn, .sms, requested: ["it", "de"]).tag == "it")
        #expect(templates.locale(.signIn, .email, requested: ["it", "de"]).tag == "de")
        #expect(templates.locale(.stepUp, .sms, requested: ["it", "de"]).tag == "de")
    }

    @Test("An own template takes the place of the built-in one, for its messages only")
    func own() throws {
        let own = [try own("de"), try own("it", .email)]
        let templates = try templates(own)
        #expect(templates.template(.signIn, .sms, in: try locale("de")) == own[0])
        #expect(templates.template(.signIn, .email, in: try locale("it")) == own[1])
        for (purpose, channel) in [(TemplatePurpose.signIn, OTPLoginConfig.Channel.email), (.stepUp, .sms)] {
            let german = try #require(TemplateLanguage.german)
            #expect(templates.template(purpose, channel, in: try locale("de")) == german.template(channel, purpose))
        }
    }

    @Test("A message whose template was removed after it was queued is sent in the nearest language")
    func removed() throws {
        let templates = try templates([], default: "fr")
        let values = TemplateValues.code("123456", lifetime: 600)
        #expect(templates.render(.signIn, .sms, in: try locale("de-AT"), values: values).locale.tag == "de")
        #expect(templates.render(.signIn, .sms, in: try locale("it"), values: values).locale.tag == "fr")
    }

    // Proves: M16
    @Test("A value adds no line, no header and no variable")
    func values() throws {
        let settings = MessageSettings()
        let templates = MessageTemplates(appName: "A\r\nBcc: eve@example.com\u{2028}{{code}}\u{0}", settings: settings)
        let message = templates.render(.signIn, .email, in: .english, values: .code("123456", lifetime: 600))
        #expect(message.subject == "Your sign-in code for A  Bcc: eve@example.com {{code}} ")
        let lines = message.text.split(separator: "\n")
        #expect(lines[0] == "Use this code to sign in to A  Bcc: eve@example.com {{code}} :")
    }

    @Test(
        "The minutes of a code are full minutes, at least one",
        arguments: [(600, "10"), (599, "9"), (60, "1"), (59, "1"), (0, "1")])
    func minutes(lifetime: Int, shown: String) throws {
        let own = MessageTemplate(channel: .sms, purpose: .signIn, locale: .english, text: "{{minutes}}")
        #expect(try templates([]).render(own, values: .code("1", lifetime: lifetime)).text == shown)
    }

    @Test("Values of a notice are stored and read again; a code is never stored")
    func stored() throws {
        var values = TemplateValues.code("123456", lifetime: 600)
        values.device = .mac
        values.time = now
        values.identifier = "m***@example.com"
        #expect(values.stored == ["device": "mac", "time": "1800000000000", "identifier": "m***@example.com"])
        values.code = nil
        values.minutes = nil
        #expect(TemplateValues(stored: values.stored) == values)
        #expect(TemplateValues(stored: ["device": "toaster", "time": "x"]).device == .unknown)
        #expect(TemplateValues(stored: [:]) == TemplateValues())
    }

    @Test("A queued message is rendered from what it stores")
    func queued() throws {
        let templates = try templates([], default: "de")
        func text(_ purpose: MessagePurpose, code: String? = nil, stored: [String: String] = [:]) -> String? {
            templates.render(purpose, .sms, requested: ["it", "fr-CA"], code: code, lifetime: 600, stored: stored)?.text
        }
        #expect(text(.signIn, code: "123456") == "123456 est votre code pour Example. Ne le partagez avec personne.")
        #expect(text(.stepUp, code: "123456")?.contains("opération") == true)
        #expect(text(.newIdentifier, code: "123456")?.contains("ajouter ce numéro") == true)
        let notice = Notice(
            .passwordChanged, appID: try appID(), userID: "usr_1", recipients: [],
            values: NoticeOccasion.passwordChanged.values(at: now), createdAt: now)
        #expect(text(.notice, stored: notice.stored)?.contains("défini le 15/01/2027 08:00 UTC") == true)
        #expect(text(.notice) == nil && text(.notice, stored: ["notice": "birthday"]) == nil)
    }

    @Test("Settings that are missing in a stored app have their defaults, and all others are read again")
    func storedSettings() throws {
        let empty = try TokenJSON.decode(MessageSettings.self, from: Data("{}".utf8))
        #expect(empty == MessageSettings())
        var settings = MessageSettings()
        settings.defaultLocale = try locale("pt-BR")
        settings.autofillHost = "example.com"
        settings.androidAppHash = "FA+9qCX9VSu"
        settings.templates = [try own("de"), try own("it", .email, .passwordChanged)]
        settings.notices.newDevice = true
        settings.notices.passwordChanged = false
        #expect(try TokenJSON.decode(MessageSettings.self, from: try TokenJSON.encode(settings)) == settings)
    }

    // Proves: M17
    @Test(
        "A device has a name from a list, so that a header puts no words into a message",
        arguments: [
            ("Apple", "iOS 17.4.0", .iPhone), ("iPad", "iPadOS 17", .iPad), ("Mac", "10.15.7", .mac),
            ("Apple", "macOS 15", .mac), ("Apple", "watchOS 11", .watch), ("Apple", "visionOS 2", .vision),
            ("Android", "14", .android), ("Windows PC", "10.0", .windows), ("Linux", "", .linux), ("", "", .unknown),
            ("Your account is blocked, call +1 900 555 0100", "", .unknown),
            ("evil.example.com", "http://evil.example.com", .unknown), ("iPhone of Eve", "", .unknown),
        ] as [(String, String, DeviceKind)])
    func device(model: String, system: String, kind: DeviceKind) {
        #expect(DeviceKind(Device(model: model, osVersion: system)) == kind)
    }
}

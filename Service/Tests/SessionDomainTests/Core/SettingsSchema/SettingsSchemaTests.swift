import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Groups of settings")
struct SettingsSchemaTests {
    @Test("Each property of a group is a field of its schema: without one it would not be stored")
    func complete() {
        for type in SettingsGroups.all { check(type) }
    }

    private func check<Group: SettingsGroup>(_ type: Group.Type) {
        // An app also has its groups, messages have templates and notices, and dated settings two times.
        let hasMore = type == MessageSettings.self || Group.defaults is any DatedSettings
        let others = type == App.self ? 14 : hasMore ? 2 : 0
        #expect(
            Mirror(reflecting: Group.defaults).children.count == Group.schema.fields.count + others, "\(type)")
        #expect(Set(Group.schema.fields.map(\.name)).count == Group.schema.fields.count)
    }

    @Test("A value out of range is named before one that it makes wrong")
    func order() {
        var policy = SessionPolicy()
        policy.accessTokenLifetime = 3_000_000
        #expect(throws: Refusal.invalidField("access_token_lifetime", "must be 60 to 900 seconds")) {
            try SessionPolicy.schema.check(policy)
        }
    }

    @Test("A value that is out of range is accepted while it stays as an earlier version stored it")
    func unchanged() throws {
        var stored = LimitSettings()
        stored.checksPerCode = 99
        var next = stored
        next.sendsPerHour = 1
        try LimitSettings.schema.check(next, replacing: stored)
        next.checksPerCode = 98
        #expect(throws: Refusal.invalidField("checks_per_code", "must be 1 to 10")) {
            try LimitSettings.schema.check(next, replacing: stored)
        }
        #expect(throws: Refusal.self) { try LimitSettings.schema.check(stored) }
    }

    @Test("A form of a group replaces the settings of its schema: what others have changed beside them stays")
    func beside() throws {
        var messages = MessageSettings()
        messages.notices.newDevice = true
        messages.templates = [MessageTemplate(channel: .sms, purpose: .signIn, locale: .english, text: "{{code}}")]
        var form = MessageSettings()
        form.autofillHost = "shop.example"
        let notices = messages.notices
        messages.replaceSettings(by: form)
        #expect(messages.autofillHost == "shop.example" && messages.notices == notices && messages.templates.count == 1)
        var app = App.defaults
        app.otpLimits.sendsPerHour = 1
        var other = App.defaults
        (other.signUp, other.otpLimits.sendsPerHour) = (false, 2)
        app.replaceSettings(by: other)
        #expect(!app.signUp && app.otpLimits.sendsPerHour == 1)
    }

    // Proves: C8
    @Test("A text that is only canonically equivalent to the stored one is another value: it is checked and reported")
    func equivalent() throws {
        var stored = App.defaults
        stored.name = "Kate;1"
        var next = stored
        next.name = "\u{212A}ate\u{37E}1"
        #expect(next.name == stored.name)
        #expect(Set(AuditedSettings(stored).changes(to: AuditedSettings(next)).keys) == ["name"])
        stored.name = String(repeating: "\u{AC01}", count: 100)
        next.name = String(repeating: "\u{1100}\u{1161}\u{11A8}", count: 100)
        #expect(next.name == stored.name)
        #expect(throws: Refusal.self) { try App.schema.check(next, replacing: stored) }
    }
}

import Testing

@testable import SessionDomain

@Suite("Previews of messages")
struct MessagePreviewTests {
    private func preview(
        _ text: String, _ channel: OTPLoginConfig.Channel = .sms, _ change: (inout App) -> Void = { _ in }
    ) throws -> MessagePreview {
        var app = App(id: try appID(), name: "Example", createdAt: now)
        change(&app)
        let template = MessageTemplate(
            channel: channel, purpose: .signIn, locale: .english, subject: channel == .email ? "Subject" : nil,
            text: text)
        return MessagePreview(template, app: app, now: now)
    }

    @Test("A short SMS has no warning")
    func short() throws {
        let preview = try preview("{{code}}")
        #expect(preview.message.text == "123456" && preview.warnings.isEmpty)
        #expect(preview.length?.segments == 1 && preview.length?.units == 6)
    }

    @Test("An SMS of several segments has a warning with their number, and with the characters that shorten them")
    func segments() throws {
        let gsm = try preview("{{code}}" + String(repeating: "x", count: 155)).warnings
        #expect(gsm.count == 1 && gsm[0].contains("161 characters") && gsm[0].contains("2 segments"))
        let other = try preview("{{code}} código, ça va ?" + String(repeating: "x", count: 50)).warnings
        #expect(other.count == 2 && other[0].contains("one segment has 70") && other[1].hasSuffix("does not have: ó ç"))
    }

    @Test("A message that is too long for Android's SMS Retriever has a warning, if the app has a hash")
    func android() throws {
        let text = "{{code}}" + String(repeating: "x", count: 122)
        #expect(try preview(text).warnings.isEmpty)
        let long = try preview(text) { $0.messages.androidAppHash = "FA+9qCX9VSu" }
        #expect(long.warnings.count == 1 && long.warnings[0].contains("140 bytes; this one has 141"))
        #expect(try preview(String(text.dropLast())) { $0.messages.androidAppHash = "FA+9qCX9VSu" }.warnings.isEmpty)
    }

    @Test("The code has as many digits as the app's login by this channel, and its lifetime")
    func samples() throws {
        let preview = try preview("{{code}} {{minutes}}") { app in
            app.otpLimits.codeLifetime = 300
            for (channel, size) in [(OTPLoginConfig.Channel.sms, 8), (.email, 10)] {
                var login = OTPLoginConfig(id: "lcfg", channel: channel, isDefault: true, at: now)
                login.codeSize = size
                app.otpLogins.append(login)
            }
        }
        #expect(preview.message.text == "12345678 5")
    }

    @Test("A mail has no segments")
    func mail() throws {
        let preview = try preview("{{code}}" + String(repeating: "x", count: 500), .email)
        #expect(preview.length == nil && preview.warnings.isEmpty && preview.message.html != nil)
    }
}

import Testing

@testable import SessionDomain

@Suite("Codes that devices fill in")
struct AutofillLinesTests {
    private func message(
        host: String? = nil, hash: String? = nil, _ purpose: TemplatePurpose = .signIn,
        _ channel: OTPLoginConfig.Channel = .sms
    ) -> RenderedMessage {
        var settings = MessageSettings()
        settings.autofillHost = host
        settings.androidAppHash = hash
        var values = TemplateValues.code("123456", lifetime: 600)
        if !purpose.hasCode { values = TemplateValues() }
        return MessageTemplates(appName: "Example", settings: settings)
            .render(purpose, channel, in: .english, values: values)
    }

    private static let text = "123456 is your code for Example. Never share it with anyone."

    @Test(
        "The last line binds the code to a host, and a line before it or the last names the Android app",
        arguments: [
            (nil, nil, ""), ("example.com", nil, "\n\n@example.com #123456"), (nil, "FA+9qCX9VSu", "\n\nFA+9qCX9VSu"),
            ("example.com", "FA+9qCX9VSu", "\n\nFA+9qCX9VSu\n@example.com #123456"),
        ] as [(String?, String?, String)])
    func lines(host: String?, hash: String?, end: String) {
        #expect(message(host: host, hash: hash).text == Self.text + end)
    }

    @Test("Every SMS with a code has the lines, and no mail and no notice has them")
    func messages() {
        for purpose in TemplatePurpose.allCases {
            let sms = message(host: "example.com", hash: "FA+9qCX9VSu", purpose).text
            #expect(sms.hasSuffix("\n\nFA+9qCX9VSu\n@example.com #123456") == purpose.hasCode)
            let mail = message(host: "example.com", hash: "FA+9qCX9VSu", purpose, .email).text
            for text in purpose.hasCode ? [mail] : [mail, sms] {
                #expect(!text.contains("@example.com") && !text.contains("FA+9qCX9VSu"))
            }
        }
    }

    @Test("With both lines, the default for a login fits into one segment and into what Android reads")
    func size() {
        let text = message(host: "session.example.com", hash: "FA+9qCX9VSu").text
        #expect(SMSLength(text).segments == 1 && text.utf8.count <= AutofillLines.maximumAndroidBytes)
    }

    @Test(
        "A hash of Android has 11 characters of Base64",
        arguments: [
            ("FA+9qCX9VSu", true), ("abc/DEF+123", true), ("FA+9qCX9VS", false), ("FA+9qCX9VSuu", false),
            ("FA+9qCX9VS=", false), ("FA+9qCX9VS\n", false), ("FA+9qCX9V-u", false), ("FA+9qCX9VSü", false),
            ("", false),
        ])
    func hash(text: String, isHash: Bool) {
        #expect(AutofillLines.isAndroidAppHash(text) == isHash)
    }
}

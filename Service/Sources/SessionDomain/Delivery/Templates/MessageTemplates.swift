/// The templates of one app: its own, and the built-in ones.
///
/// A message is rendered when it is sent, in a language that its request asked for. Nothing here is read or written.
package struct MessageTemplates: Sendable {
    private let appName: String
    private let settings: MessageSettings

    package init(_ app: App) { self.init(appName: app.nameInMessages, settings: app.messages) }

    package init(appName: String, settings: MessageSettings) {
        self.appName = appName
        self.settings = settings
    }

    /// The language of a message: the first requested one that has a template, otherwise the app's default, otherwise
    /// English.
    package func locale(
        _ purpose: TemplatePurpose, _ channel: OTPLoginConfig.Channel, requested: [String]
    ) -> MessageLocale {
        let own = settings.templates.filter { $0.channel == channel && $0.purpose == purpose }.map(\.locale)
        let available = TemplateLanguage.locales.union(own)
        return MessageLocale.lookup(requested + [settings.defaultLocale.tag], in: available) ?? .english
    }

    /// The template of a message: that of the app, otherwise the built-in one.
    ///
    /// - Parameter locale: If there is no template in it, one in the nearest language is returned.
    package func template(
        _ purpose: TemplatePurpose, _ channel: OTPLoginConfig.Channel, in locale: MessageLocale
    ) -> MessageTemplate {
        let nearest = self.locale(purpose, channel, requested: [locale.tag])
        let own = settings.templates.first {
            $0.channel == channel && $0.purpose == purpose && $0.locale == nearest
        }
        return own ?? (TemplateLanguage.of(nearest) ?? .english).template(channel, purpose)
    }

    /// Renders a queued message.
    ///
    /// - Parameters:
    ///   - requested: The languages that the request asked for, as the message stores them.
    ///   - code: `nil` for a notice.
    ///   - lifetime: Seconds for which the code is valid.
    ///   - stored: The stored values: of a notice, `Notice.stored`.
    /// - Returns: `nil` for a notice of no known kind.
    package func render(
        _ purpose: MessagePurpose, _ channel: OTPLoginConfig.Channel, requested: [String], code: String?, lifetime: Int,
        stored: [String: String]
    ) -> RenderedMessage? {
        guard let purpose = TemplatePurpose(purpose, notice: Notice.kind(stored: stored)) else { return nil }
        let values = code.map { TemplateValues.code($0, lifetime: lifetime) } ?? TemplateValues(stored: stored)
        return render(purpose, channel, in: locale(purpose, channel, requested: requested), values: values)
    }

    /// Renders a message.
    package func render(
        _ purpose: TemplatePurpose, _ channel: OTPLoginConfig.Channel, in locale: MessageLocale, values: TemplateValues
    ) -> RenderedMessage {
        render(template(purpose, channel, in: locale), values: values)
    }

    /// Renders a template, which may be one that is not stored.
    package func render(_ template: MessageTemplate, values: TemplateValues) -> RenderedMessage {
        let language = TemplateLanguage.of(template.locale)
        func filled(_ text: String) -> String {
            // A stored template is valid. If it were not, its text would be sent as it is, without values.
            (try? TemplateText(text))?.filled { value(of: $0, values, in: language) } ?? text
        }
        let text = filled(template.text)
        switch template.channel {
        case .sms:
            return RenderedMessage(
                locale: template.locale, subject: nil, text: text + autofill(values.code), html: nil)
        case .email:
            let subject = filled(template.subject ?? "").singleLine
            let html = HTMLMail(locale: template.locale, subject: subject, text: text, code: values.code).html
            return RenderedMessage(locale: template.locale, subject: subject, text: text, html: html)
        }
    }

    private func value(
        of variable: TemplateVariable, _ values: TemplateValues, in language: TemplateLanguage?
    ) -> String {
        let value =
            switch variable {
            case .code: values.code
            case .appName: appName
            case .minutes: values.minutes.map(String.init)
            case .time: values.time.map { MessageTime(time: $0).text(in: language) }
            case .device: values.device.map { $0.name ?? (language ?? .english).unknownDevice }
            case .identifier: values.identifier
            }
        return (value ?? "").singleLine
    }

    private func autofill(_ code: String?) -> String {
        guard let code else { return "" }
        return AutofillLines(host: settings.autofillHost, androidAppHash: settings.androidAppHash, code: code).text
    }
}

extension String {
    /// The text without line breaks and other control characters, so that no value adds a line or a header.
    fileprivate var singleLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }))
    }
}

/// What a template and its values result in.
package struct RenderedMessage: Sendable, Equatable {
    /// The language of the text.
    package let locale: MessageLocale
    /// One line. `nil` for an SMS.
    package let subject: String?
    package let text: String
    /// The same text as HTML. `nil` for an SMS.
    package let html: String?
}

/// The last lines of an SMS with a code, by which devices find the code and its app.
///
/// - iOS and browsers read the last line, `@host #code`, and offer the code only to this host and its apps (WICG,
///   “Origin-bound one-time codes delivered via SMS”).
/// - Android's SMS Retriever searches the message for the app's hash, in at most 140 bytes. If both are set, the hash comes
///   first, because only the last line can be bound to a host.
struct AutofillLines: Sendable {
    /// Bytes of a message that the SMS Retriever reads.
    static let maximumAndroidBytes = 140

    let host: String?
    let androidAppHash: String?
    let code: String

    /// Begins with an empty line. Empty if nothing is set.
    var text: String {
        let lines = [androidAppHash, host.map { "@\($0) #\(code)" }].compactMap { $0 }
        return lines.isEmpty ? "" : "\n\n" + lines.joined(separator: "\n")
    }

    /// Whether a text is a hash of the SMS Retriever: 11 characters of Base64.
    static func isAndroidAppHash(_ text: String) -> Bool {
        text.utf8.count == 11
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "+"
                        || scalar == "/")
            }
    }
}

/// How an app writes its messages.
package struct MessageSettings: SettingsGroup {
    /// The most templates of one app.
    package static let maximumTemplates = 100

    /// The language of messages to users whose languages have no template.
    package var defaultLocale = MessageLocale.english
    /// The host that codes in SMS are bound to, for autofill by iOS and browsers. `nil`: codes are not bound.
    package var autofillHost: String? {
        didSet { autofillHost = autofillHost?.lowercased() }
    }
    /// The hash by which Android's SMS Retriever finds the app. `nil`: messages have none.
    package var androidAppHash: String?
    /// The app's own templates. They take the place of the built-in ones.
    package var templates: [MessageTemplate] = []
    package var notices = NoticeSettings()

    package init() {}
}

extension MessageSettings {
    private enum CodingKeys: CodingKey {
        case defaultLocale, autofillHost, androidAppHash, templates, notices
    }

    /// Decodes stored settings. A setting that is missing in older ones has its default.
    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        defaultLocale = try stored.decodeIfPresent(MessageLocale.self, forKey: .defaultLocale) ?? .english
        autofillHost = try stored.decodeIfPresent(String.self, forKey: .autofillHost)
        androidAppHash = try stored.decodeIfPresent(String.self, forKey: .androidAppHash)
        templates = try stored.decodeIfPresent([MessageTemplate].self, forKey: .templates) ?? []
        notices = try stored.decodeIfPresent(NoticeSettings.self, forKey: .notices) ?? NoticeSettings()
    }

    package func encode(to encoder: any Encoder) throws {
        var stored = encoder.container(keyedBy: CodingKeys.self)
        try stored.encode(defaultLocale, forKey: .defaultLocale)
        try stored.encodeIfPresent(autofillHost, forKey: .autofillHost)
        try stored.encodeIfPresent(androidAppHash, forKey: .androidAppHash)
        try stored.encode(templates, forKey: .templates)
        try stored.encode(notices, forKey: .notices)
    }
}

extension MessageSettings {
    package static let defaults = Self()
    package static var place: any WritableKeyPath<App, Self> & Sendable { \.messages }

    /// The settings of all messages. Templates and notices have an API of their own.
    package static let schema = SettingsSchema<Self>(
        "templates",
        [
            .init(
                nil,
                [
                    .word(
                        "default_locale", \.defaultLocale, "Language of users whose languages have no template",
                        "a language tag, such as de or pt-BR", text: \.tag, value: { MessageLocale($0) }),
                    .text(
                        "autofill_host", \.autofillHost, "Host that codes in SMS are bound to",
                        "a bare host, such as example.com",
                        hint: "iOS and browsers then offer the code on this host only. Without it: everywhere."
                    ).checked { messages, _ throws(Refusal) in
                        guard messages.autofillHost.map(HostName.isValid) ?? true else {
                            throw .invalidField("autofill_host", "must be a bare host, such as example.com")
                        }
                    },
                    .text(
                        "android_app_hash", \.androidAppHash, "Hash of the Android app", "11 characters",
                        hint: "By it, Android's SMS Retriever finds the app."
                    ).checked { messages, _ throws(Refusal) in
                        guard messages.androidAppHash.map(AutofillLines.isAndroidAppHash) ?? true else {
                            throw .invalidField(
                                "android_app_hash", "must be the 11 characters of the SMS Retriever's hash")
                        }
                    },
                ])
        ])
}

/// What the variables of a template stand for.
package struct TemplateValues: Sendable, Equatable {
    package var code: String?
    /// Minutes for which the code is valid.
    package var minutes: Int?
    package var time: Timestamp?
    package var device: DeviceKind?
    /// Masked.
    package var identifier: String?

    package init() {}

    /// The values of a message with a code.
    ///
    /// - Parameter lifetime: Seconds from the sending to the expiry. The message shows full minutes, at least 1.
    package static func code(_ code: String, lifetime: Int) -> TemplateValues {
        var values = TemplateValues()
        values.code = code
        values.minutes = max(1, lifetime / 60)
        return values
    }

}

extension TemplateValues {
    /// The values of a notice as its message stores them, by the name of the variable. A code is never stored.
    package var stored: [String: String] {
        let values: [TemplateVariable: String?] = [
            .time: time.map { String($0.milliseconds) }, .device: device?.rawValue, .identifier: identifier,
        ]
        return Dictionary(
            uniqueKeysWithValues: values.compactMap { variable, value in value.map { (variable.rawValue, $0) } })
    }

    package init(stored: [String: String]) {
        func value(_ variable: TemplateVariable) -> String? { stored[variable.rawValue] }
        time = value(.time).flatMap(Int64.init).map { Timestamp(milliseconds: $0) }
        device = value(.device).map { DeviceKind(rawValue: $0) ?? .unknown }
        identifier = value(.identifier)
    }
}

/// A device as messages name it.
///
/// Headers describe a device, and any client can send any text in them. So a message names only kinds that are listed here:
/// a stranger puts no words into a message to another person.
package enum DeviceKind: String, Sendable, Codable, CaseIterable {
    case iPhone = "iphone"
    case iPad = "ipad"
    case mac
    case watch = "apple_watch"
    case vision = "apple_vision_pro"
    case android
    case windows
    case linux
    case unknown

    package init(_ device: Device) {
        let system = device.osVersion.lowercased()
        let systems: [(String, DeviceKind)] = [
            ("ipados", .iPad), ("ios", .iPhone), ("macos", .mac), ("watchos", .watch), ("visionos", .vision),
            ("android", .android), ("windows", .windows), ("linux", .linux),
        ]
        let browsers: [String: DeviceKind] = [
            "iPhone": .iPhone, "iPad": .iPad, "Mac": .mac, "Android": .android, "Windows PC": .windows, "Linux": .linux,
        ]
        self = systems.first { system.hasPrefix($0.0) }?.1 ?? browsers[device.model] ?? .unknown
    }

    /// The name, which is the same in all languages. `nil` for an unknown device.
    var name: String? {
        switch self {
        case .iPhone: "iPhone"
        case .iPad: "iPad"
        case .mac: "Mac"
        case .watch: "Apple Watch"
        case .vision: "Apple Vision Pro"
        case .android: "Android"
        case .windows: "Windows"
        case .linux: "Linux"
        case .unknown: nil
        }
    }
}

/// The HTML part of a mail: the same text, with the code in large digits.
///
/// It has no links, images, scripts, fonts or other resources from elsewhere. Styles are inline, because mail programs drop
/// others; those in the head only change colours for a dark screen. Every value is escaped.
struct HTMLMail: Sendable {
    let locale: MessageLocale
    let subject: String
    let text: String
    /// The paragraph with this text alone is shown large.
    let code: String?

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="\(escaped(locale.tag))" dir="\(isRightToLeft ? "rtl" : "ltr")">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="supported-color-schemes" content="light dark">
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
        <title>\(escaped(subject))</title>
        <style>
        :root { color-scheme: light dark; }
        @media (prefers-color-scheme: dark) {
        .page { background-color: #15171a !important; }
        .card { background-color: #212429 !important; color: #f1f3f5 !important; }
        .code { background-color: #343a40 !important; color: #ffffff !important; }
        }
        </style>
        </head>
        <body class="page" style="margin: 0; padding: 0; background-color: #f1f3f5;">
        <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" \
        style="background-color: #f1f3f5;"><tr><td align="center" style="padding: 24px 12px;">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width: 480px;"><tr>
        <td class="card" align="\(isRightToLeft ? "right" : "left")" style="padding: 28px 24px 12px 24px; \
        border-radius: 12px; background-color: #ffffff; color: #212529; font-family: -apple-system, \
        BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Hiragino Sans', 'Noto Sans', \
        'Noto Sans CJK JP', sans-serif; font-size: 16px; line-height: 1.5; overflow-wrap: anywhere;">
        \(paragraphs.map(paragraph).joined(separator: "\n"))
        </td>
        </tr></table>
        </td></tr></table>
        </body>
        </html>

        """
    }

    /// Texts between empty lines.
    private var paragraphs: [[Substring]] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split { line in line.allSatisfy(\.isWhitespace) }.map(Array.init)
    }

    private func paragraph(_ lines: [Substring]) -> String {
        let content = lines.map { escaped(String($0)) }.joined(separator: "<br>\n")
        guard let code, lines.count == 1, lines[0] == code else {
            return "<p style=\"margin: 0 0 16px 0;\">\(content)</p>"
        }
        return """
            <p class="code" dir="ltr" style="margin: 0 0 16px 0; padding: 14px 8px; border-radius: 8px; background-color: \
            #e9ecef; color: #212529; font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: \
            28px; font-weight: 600; line-height: 1.3; letter-spacing: 3px; text-align: center;">\(content)</p>
            """
    }

    private func escaped(_ text: String) -> String {
        // By scalar: a character can be a sign of HTML with a combining mark.
        text.unicodeScalars.reduce(into: "") { html, scalar in
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(scalar)
            }
        }
    }

    /// Languages that are written from right to left.
    private var isRightToLeft: Bool {
        let language = locale.tag.prefix { $0 != "-" }
        return ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(language)
    }
}

/// A language with built-in templates.
struct TemplateLanguage: Sendable {
    /// The texts of one purpose.
    struct Texts: Sendable {
        let sms: String
        let subject: String
        let mail: String
    }

    let locale: MessageLocale
    /// In place of a device that is not known.
    let unknownDevice: String
    /// Writes a date, given year, month and day as digits.
    let date: @Sendable (_ year: Substring, _ month: Substring, _ day: Substring) -> String
    let texts: @Sendable (TemplatePurpose) -> Texts

    static let all = [english, french, german, japanese, spanish].compactMap { $0 }

    /// The language of a locale or, for one without built-in texts, nothing.
    static func of(_ locale: MessageLocale) -> TemplateLanguage? {
        MessageLocale.lookup([locale.tag], in: locales).flatMap { found in all.first { $0.locale == found } }
    }

    static let locales = Set(all.map(\.locale))

    func template(_ channel: OTPLoginConfig.Channel, _ purpose: TemplatePurpose) -> MessageTemplate {
        let texts = texts(purpose)
        return switch channel {
        case .sms: MessageTemplate(channel: .sms, purpose: purpose, locale: locale, text: texts.sms)
        case .email:
            MessageTemplate(
                channel: .email, purpose: purpose, locale: locale, subject: texts.subject, text: texts.mail)
        }
    }
}

/// A time as messages show it: to the minute, in UTC, because the service does not know where the user is.
struct MessageTime {
    let time: Timestamp

    func text(in language: TemplateLanguage?) -> String {
        // RFC 3339: 2026-11-22T14:05:00Z
        let parts = time.rfc3339.split(separator: "T")
        guard parts.count == 2 else { return time.rfc3339 }
        let day = parts[0].split(separator: "-")
        let date = day.count == 3 ? language?.date(day[0], day[1], day[2]) : nil
        return "\(date ?? String(parts[0])) \(parts[1].prefix(5)) UTC"
    }
}

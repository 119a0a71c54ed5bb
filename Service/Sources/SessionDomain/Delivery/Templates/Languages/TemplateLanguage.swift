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

/// The language of a message, as a BCP 47 tag such as `de` or `pt-BR`. Tags that differ only in case are equal.
package struct MessageLocale: Sendable, Hashable, Codable, CustomStringConvertible {
    package static let english = MessageLocale(canonical: "en")

    /// The tag: the language in lower case, a script such as `Hant`, a region such as `BR`.
    package let tag: String

    package var description: String { tag }

    private init(canonical tag: String) { self.tag = tag }

    /// - Returns: `nil` unless the text is a language of 2 to 8 letters and subtags of 1 to 8 letters and digits, together
    ///   at most 35 characters (RFC 5646 §2.1 and §4.4.1).
    package init?(_ text: String) {
        let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count <= 35, let language = subtags.first, (2...8).contains(language.utf8.count),
            language.utf8.allSatisfy(\.isLetter),
            subtags.dropFirst().allSatisfy({
                (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isLetterOrDigit)
            })
        else { return nil }
        self.init(canonical: Self.canonical(subtags))
    }

    /// The usual case of each subtag (RFC 5646 §2.1.1).
    private static func canonical(_ subtags: [Substring]) -> String {
        var isPrivate = false
        let written = subtags.enumerated().map { index, subtag -> String in
            let lower = subtag.lowercased()
            defer { isPrivate = isPrivate || lower.utf8.count == 1 }
            guard index > 0, !isPrivate, lower.utf8.allSatisfy(\.isLetter) else { return lower }
            return switch lower.utf8.count {
            case 2: lower.uppercased()
            case 4: lower.prefix(1).uppercased() + lower.dropFirst()
            default: lower
            }
        }
        return written.joined(separator: "-")
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let locale = MessageLocale(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "is not a language tag"))
        }
        self = locale
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(tag)
    }
}

extension MessageLocale {
    /// The first available language that a list of ranges finds (lookup, RFC 4647 §3.4).
    ///
    /// Each range is shortened from its end until it is available: `zh-Hant-TW` finds `zh-Hant`, then `zh`. A single
    /// character is never the last subtag. Ranges that are no tags are ignored, and so is `*`.
    ///
    /// - Parameter ranges: In order of preference.
    package static func lookup(_ ranges: [String], in available: Set<MessageLocale>) -> MessageLocale? {
        for range in ranges.prefix(maximumRanges) {
            var candidate = MessageLocale(range)
            while let locale = candidate {
                if available.contains(locale) { return locale }
                candidate = locale.shortened
            }
        }
        return nil
    }

    /// The ranges of one request that are compared.
    private static let maximumRanges = 10

    /// The tag without its last subtag, and without a single character before it. `nil` for a language alone.
    private var shortened: MessageLocale? {
        var subtags = tag.split(separator: "-").dropLast()
        if subtags.last?.utf8.count == 1 { subtags = subtags.dropLast() }
        return subtags.isEmpty ? nil : MessageLocale(canonical: subtags.joined(separator: "-"))
    }
}

/// The languages that the current request asks for, in order of preference.
///
/// They are task-local, like the context of events: the edge sets them once per request from `Accept-Language`, and each
/// notice is queued with them. Calls of operators ask for none.
package enum RequestedLanguages {
    /// Tags of the header (RFC 9110 §12.5.4), at most 10.
    @TaskLocal package static var current: [String] = []
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    fileprivate var isLetterOrDigit: Bool { isLetter || (0x30...0x39).contains(self) }
}

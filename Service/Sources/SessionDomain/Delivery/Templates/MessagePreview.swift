/// A message as users would get it, with sample values, and what its operator should know about it.
package struct MessagePreview: Sendable, Equatable {
    package let message: RenderedMessage
    /// `nil` for a mail.
    package let length: SMSLength?
    package let warnings: [String]

    /// - Parameters:
    ///   - app: Its name, code size and code lifetime are shown.
    ///   - template: A valid template, which need not be stored.
    package init(_ template: MessageTemplate, app: App, now: Timestamp) {
        message = MessageTemplates(app).render(template, values: Self.sample(template, app: app, now: now))
        length = template.channel == .sms ? SMSLength(message.text) : nil
        var warnings: [String] = []
        if let length, length.segments > 1 {
            let limit = length.encoding == .gsm7 ? 160 : 70
            warnings.append(
                "the SMS has \(length.units) characters and is sent in \(length.segments) segments, which are paid for "
                    + "one by one; one segment has \(limit)")
        }
        if let length, length.encoding == .ucs2, length.segments > 1 {
            let shown = length.otherCharacters.prefix(10).map(String.init).joined(separator: " ")
            warnings.append(
                "a segment has 70 characters instead of 160, because the GSM alphabet does not have: \(shown)")
        }
        if template.channel == .sms, template.purpose.hasCode, app.messages.androidAppHash != nil,
            message.text.utf8.count > AutofillLines.maximumAndroidBytes
        {
            warnings.append(
                "Android's SMS Retriever reads messages of at most \(AutofillLines.maximumAndroidBytes) bytes; this one has "
                    + "\(message.text.utf8.count)")
        }
        self.warnings = warnings
    }

    private static func sample(_ template: MessageTemplate, app: App, now: Timestamp) -> TemplateValues {
        if template.purpose.hasCode {
            let size = app.otpLogins.filter { $0.channel == template.channel }.map(\.codeSize).max() ?? 6
            return .code(String("1234567890".prefix(size)), lifetime: app.otpLimits.codeLifetime)
        }
        var values = TemplateValues()
        values.time = now
        values.device = .iPhone
        values.identifier = template.channel == .sms ? "m***@example.com" : "+33*****89"
        return values
    }
}

/// How long an SMS is, in the units that networks count and operators pay (3GPP TS 23.038 §6, TS 23.040 §9.2.3.24).
package struct SMSLength: Sendable, Equatable {
    package enum Encoding: String, Sendable {
        /// 160 characters in one segment, 153 in each of several.
        case gsm7 = "gsm-7"
        /// 70 UTF-16 units in one segment, 67 in each of several.
        case ucs2 = "ucs-2"
    }

    package let encoding: Encoding
    package let segments: Int
    /// Units of the encoding.
    package let units: Int
    /// The characters that the GSM alphabet does not have, each once, in the order of the text.
    package let otherCharacters: [Character]

    package init(_ text: String) {
        let costs = text.unicodeScalars.map(Self.gsmUnits)
        if costs.contains(nil) {
            encoding = .ucs2
            let units = text.unicodeScalars.map { $0.utf16.count }
            segments = Self.segments(units, single: 70, several: 67)
            self.units = units.reduce(0, +)
        } else {
            encoding = .gsm7
            let units = costs.compactMap { $0 }
            segments = Self.segments(units, single: 160, several: 153)
            self.units = units.reduce(0, +)
        }
        otherCharacters = text.reduce(into: []) { found, character in
            let isOther = character.unicodeScalars.contains { Self.gsmUnits($0) == nil }
            if isOther, !found.contains(character) { found.append(character) }
        }
    }

    /// No scalar is split between two segments.
    private static func segments(_ units: [Int], single: Int, several: Int) -> Int {
        guard units.reduce(0, +) > single else { return 1 }
        var (segments, used) = (1, 0)
        for unit in units {
            if used + unit > several { (segments, used) = (segments + 1, 0) }
            used += unit
        }
        return segments
    }

    /// Septets of a scalar in the GSM 7 bit default alphabet and its extension. `nil`: it is in neither.
    private static func gsmUnits(_ scalar: Unicode.Scalar) -> Int? {
        if basic.contains(scalar) { return 1 }
        return extended.contains(scalar) ? 2 : nil
    }

    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
            + "abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("\u{C}^{}\\[~]|€".unicodeScalars)
}

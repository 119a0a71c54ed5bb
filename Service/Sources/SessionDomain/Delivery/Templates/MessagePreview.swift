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

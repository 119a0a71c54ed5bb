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

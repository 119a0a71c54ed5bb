/// Which messages a template is for, as operators name it.
package struct TemplateKey: Sendable, Equatable {
    package let channel: OTPLoginConfig.Channel
    package let purpose: TemplatePurpose
    package let locale: MessageLocale

    /// - Throws: `Refusal.invalidField` with the field `channel`, `purpose` or `locale`.
    package init(channel: String, purpose: String, locale: String) throws(Refusal) {
        guard let channel = OTPLoginConfig.Channel(rawValue: channel) else {
            throw .invalidField("channel", "must be sms or email")
        }
        guard let purpose = TemplatePurpose(rawValue: purpose) else {
            let known = TemplatePurpose.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidField("purpose", "must be one of \(known)")
        }
        self.channel = channel
        self.purpose = purpose
        self.locale = try Self.locale(locale, field: "locale")
    }

    static func locale(_ text: String, field: String) throws(Refusal) -> MessageLocale {
        guard let locale = MessageLocale(text) else {
            throw .invalidField(field, "must be a language tag, such as de or pt-BR")
        }
        return locale
    }

    /// The key with the texts of an operator.
    package func template(subject: String?, text: String) -> MessageTemplate {
        MessageTemplate(channel: channel, purpose: purpose, locale: locale, subject: subject, text: text)
    }

    func isKey(of template: MessageTemplate) -> Bool {
        channel == template.channel && purpose == template.purpose && locale == template.locale
    }
}

/// A template that messages use, and whose it is.
package struct ListedTemplate: Sendable, Equatable {
    package let template: MessageTemplate
    package let isBuiltIn: Bool
}

/// The settings of messages, apart from texts and notices. All of them are replaced.
package struct MessageSettingsChange: Sendable {
    package var defaultLocale: String?
    package var autofillHost: String?
    package var androidAppHash: String?

    package init(defaultLocale: String? = nil, autofillHost: String? = nil, androidAppHash: String? = nil) {
        self.defaultLocale = defaultLocale
        self.autofillHost = autofillHost
        self.androidAppHash = androidAppHash
    }

    func apply(to settings: inout MessageSettings) throws(Refusal) {
        settings.defaultLocale = try TemplateKey.locale(
            defaultLocale ?? MessageLocale.english.tag, field: "default_locale")
        let host = autofillHost?.lowercased()
        if let host {
            guard AppSettingsChange.isHost(host), host.contains("."), host.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw .invalidField("autofill_host", "must be a bare host, such as example.com")
            }
        }
        settings.autofillHost = host
        if let androidAppHash {
            guard AutofillLines.isAndroidAppHash(androidAppHash) else {
                throw .invalidField("android_app_hash", "must be the 11 characters of the SMS Retriever's hash")
            }
        }
        settings.androidAppHash = androidAppHash
    }
}

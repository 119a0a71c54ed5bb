package import SessionDomain

/// A template as the management API shows it.
struct TemplateBody: Encodable {
    let channel: String
    let purpose: String
    let locale: String
    let subject: String?
    let text: String
    let isBuiltIn: Bool

    private enum CodingKeys: String, CodingKey {
        case channel, purpose, locale, subject, text
        case isBuiltIn = "built_in"
    }

    init(_ listed: ListedTemplate) {
        channel = listed.template.channel.rawValue
        purpose = listed.template.purpose.rawValue
        locale = listed.template.locale.tag
        subject = listed.template.subject
        text = listed.template.text
        isBuiltIn = listed.isBuiltIn
    }
}

/// The texts of a template in a request. The path names the messages that they are for.
struct TemplateChangeBody: Decodable {
    let subject: String?
    let text: String
}

/// The settings of messages, in requests and in responses. A missing member gets its default.
struct TemplateSettingsBody: Codable {
    let defaultLocale: String?
    let autofillHost: String?
    let androidAppHash: String?

    private enum CodingKeys: String, CodingKey {
        case defaultLocale = "default_locale"
        case autofillHost = "autofill_host"
        case androidAppHash = "android_app_hash"
    }

    init(_ settings: MessageSettings) {
        defaultLocale = settings.defaultLocale.tag
        autofillHost = settings.autofillHost
        androidAppHash = settings.androidAppHash
    }

    var change: MessageSettingsChange {
        MessageSettingsChange(
            defaultLocale: defaultLocale, autofillHost: autofillHost, androidAppHash: androidAppHash)
    }
}

/// The settings and all templates that messages use.
struct TemplateListBody: Encodable {
    let config: TemplateSettingsBody
    let templates: [TemplateBody]
}

/// A message to preview. Without a text, the stored template is rendered.
struct TemplatePreviewRequestBody: Decodable {
    let channel: String
    let purpose: String
    let locale: String?
    let subject: String?
    let text: String?
}

/// A rendered message with sample values.
package struct TemplatePreviewBody: Encodable {
    let locale: String
    let subject: String?
    let text: String
    let html: String?
    /// `gsm-7` or `ucs-2`; of an SMS only, as the two below.
    let encoding: String?
    let characters: Int?
    let segments: Int?
    let warnings: [String]

    package init(_ preview: MessagePreview) {
        locale = preview.message.locale.tag
        subject = preview.message.subject
        text = preview.message.text
        html = preview.message.html
        encoding = preview.length?.encoding.rawValue
        characters = preview.length?.units
        segments = preview.length?.segments
        warnings = preview.warnings
    }
}

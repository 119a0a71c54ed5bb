/// How an app writes its messages.
package struct MessageSettings: Sendable, Equatable, Codable {
    /// The most templates of one app.
    package static let maximumTemplates = 100

    /// The language of messages to users whose languages have no template.
    package var defaultLocale = MessageLocale.english
    /// The host that codes in SMS are bound to, for autofill by iOS and browsers. `nil`: codes are not bound.
    package var autofillHost: String?
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
}

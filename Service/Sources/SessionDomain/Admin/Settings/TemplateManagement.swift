/// Reads, changes and previews the templates of an app.
package struct TemplateManagement: Sendable {
    private let apps: AppManagement
    private let environment: ServiceEnvironment

    init(apps: AppManagement, environment: ServiceEnvironment) {
        self.apps = apps
        self.environment = environment
    }

    package func settings(of app: AppID) async throws -> MessageSettings { try await apps.app(app).messages }

    /// The templates that messages use: those of the app, and the built-in ones that they do not replace.
    package func templates(of app: AppID) async throws -> [ListedTemplate] {
        let own = try await settings(of: app).templates
        let builtIn = TemplateLanguage.all.flatMap { language in
            OTPLoginConfig.Channel.allCases.flatMap { channel in
                TemplatePurpose.allCases.map { language.template(channel, $0) }
            }
        }
        let replaced = builtIn.filter { template in !own.contains { $0.replaces(template) } }
        let all =
            own.map { ListedTemplate(template: $0, isBuiltIn: false) }
            + replaced.map { ListedTemplate(template: $0, isBuiltIn: true) }
        return all.sorted { $0.order < $1.order }
    }

    /// - Throws: `Refusal.notFound` if the app has no template in this language, and there is no built-in one.
    package func template(_ key: TemplateKey, app: AppID) async throws -> ListedTemplate {
        guard let found = try await templates(of: app).first(where: { key.isKey(of: $0.template) }) else {
            throw Self.unknown
        }
        return found
    }

    /// Replaces the app's template for the same messages, or adds one.
    ///
    /// - Throws: `Refusal.invalidField` with the field `subject` or `text`; `.conflict` if the app has too many.
    package func set(_ template: MessageTemplate, app: AppID) async throws {
        try template.validate()
        try await apps.update(app) { app in
            app.messages.templates.removeAll { $0.replaces(template) }
            try Self.append(template, to: &app)
        }
    }

    /// Adds a template.
    ///
    /// - Throws: As `set`; `.conflict` if the app has a text of its own for the same messages.
    package func add(_ template: MessageTemplate, app: AppID) async throws {
        try template.validate()
        try await apps.update(app) { app in
            guard !app.messages.templates.contains(where: { $0.replaces(template) }) else {
                throw Refusal.conflict("the app has a text of its own for this message; change it on its page")
            }
            try Self.append(template, to: &app)
        }
    }

    private static func append(_ template: MessageTemplate, to app: inout App) throws(Refusal) {
        guard app.messages.templates.count < MessageSettings.maximumTemplates else {
            throw .conflict("an app has at most \(MessageSettings.maximumTemplates) templates of its own")
        }
        try template.checkLinks(withName: app.nameInMessages)
        app.messages.templates.append(template)
    }

    /// Removes a template of the app. Messages use the built-in one again.
    package func remove(_ key: TemplateKey, app: AppID) async throws {
        try await apps.update(app) { app in
            guard app.messages.templates.contains(where: key.isKey) else { throw Self.unknown }
            app.messages.templates.removeAll(where: key.isKey)
        }
    }

    /// Removes all templates of the app, and sets the settings back.
    package func reset(app: AppID) async throws {
        try await apps.update(app) { app in
            let notices = app.messages.notices
            app.messages = .defaults
            app.messages.notices = notices
        }
    }

    /// Renders a message with sample values. Nothing is sent or stored.
    ///
    /// - Parameters:
    ///   - text: A text to try. `nil`: the template that messages in this language use.
    ///   - subject: The subject to try with it.
    package func preview(_ key: TemplateKey, subject: String?, text: String?, app id: AppID) async throws
        -> MessagePreview
    {
        let app = try await apps.app(id)
        guard let text else {
            guard subject == nil else { throw Refusal.invalidField("text", "is required with a subject") }
            let stored = MessageTemplates(app).template(key.purpose, key.channel, in: key.locale)
            return MessagePreview(stored, app: app, now: environment.now())
        }
        let template = key.template(subject: subject, text: text)
        try template.validate()
        try template.checkLinks(withName: app.nameInMessages)
        return MessagePreview(template, app: app, now: environment.now())
    }

    private static let unknown = Refusal.notFound("there is no such template")
}

extension ListedTemplate {
    /// By channel, purpose and language.
    fileprivate var order: (String, Int, String) {
        let purpose = TemplatePurpose.allCases.firstIndex(of: template.purpose) ?? 0
        return (template.channel.rawValue, purpose, template.locale.tag)
    }
}

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
        guard let locale = MessageLocale(locale) else {
            throw .invalidField("locale", "must be a language tag, such as de or pt-BR")
        }
        self.locale = locale
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

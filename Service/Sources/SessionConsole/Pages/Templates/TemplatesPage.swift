import Hummingbird
import NIOCore
import SessionDomain

/// The texts of the messages of an app, and the settings of all of them.
enum TemplatesPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/templates", show)
        routes.appForm("/templates", on: show) { visit, form in
            let next = try SettingsForm.read(form, replacing: visit.app.messages)
            _ = try await visit.service.settings.update(
                MessageSettings.self, of: visit.app.id, ifVersion: form.text(FormView.versionField)
            ) { $0.replaceSettings(by: next) }
            return .redirect(visit.path / "templates", .saved)
        }
        NewTemplatePage.add(to: routes)
        TemplatePage.add(to: routes)
    }

    private static let everything = ("", "All")

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let all = try await visit.service.templates.templates(of: visit.app.id)
        let query = visit.visit.query
        let found = all.filter { listed in
            (query.filled("channel") ?? listed.template.channel.rawValue) == listed.template.channel.rawValue
                && (query.filled("purpose") ?? listed.template.purpose.rawValue) == listed.template.purpose.rawValue
                && (query.filled("locale") ?? listed.template.locale.tag) == listed.template.locale.tag
        }
        return Page("Templates", app: visit.app, section: .templates) {
            H.p(.class("lead")) {
                "What messages to users say, by channel, purpose and language. Your own text takes the place of the "
                "built-in one."
            }
            filter(all, visit)
            if found.isEmpty {
                Show.empty(
                    "No template matches", "Change the filters, or show all templates.",
                    Link.button("Show all", visit.path / "templates"))
            } else {
                list(found, visit)
            }
            settings(visit)
        }
    }

    private static func filter(_ all: [ListedTemplate], _ visit: AppVisit) -> HTML {
        let languages = Set(all.map(\.template.locale.tag)).sorted()
        return H.section(.class("card")) {
            H.form(.methodGet, .action(visit.path / "templates"), .role("search"), .aria(label: "Filters")) {
                H.div(.class("row")) {
                    choice("channel", "Channel", OTPLoginConfig.Channel.allCases.map { ($0.rawValue, $0.title) }, visit)
                    choice("purpose", "Purpose", TemplatePurpose.allCases.map { ($0.rawValue, $0.title) }, visit)
                    choice("locale", "Language", languages.map { ($0, $0) }, visit)
                    H.div(.class("actions")) { H.button(.type("submit"), .class("primary")) { "Filter" } }
                }
            }
        }
    }

    private static func choice(
        _ name: String, _ label: String, _ options: [(value: String, label: String)], _ visit: AppVisit
    ) -> HTML {
        H.div(.class("field")) {
            H.label(.for("filter-" + name)) { label }
            H.select(.id("filter-" + name), .name(name)) {
                for option in [everything] + options {
                    H.option(
                        .value(option.0), option.0 == visit.visit.query.filled(name) ?? "" ? .selected : nil
                    ) { option.1 }
                }
            }
        }
    }

    private static func list(_ templates: [ListedTemplate], _ visit: AppVisit) -> HTML {
        TableView.html(
            "Templates", columns: ["Message", "Channel", "Language", "Text", "Begins with"],
            templates.map { listed in
                let template = listed.template
                return TableView.Row(
                    H.a(.href(visit.path(of: template))) {
                        template.purpose.title
                        H.span(.class("hidden")) { ", \(template.channel.noun), \(template.locale.tag)" }
                    },
                    HTML(escaping: template.channel.title), Show.code(template.locale.tag),
                    listed.isBuiltIn ? Show.badge("built-in") : Show.badge("your own", "good"),
                    Show.text(String((template.subject ?? template.text).prefix(60))))
            },
            action: visit.visit.canWrite
                ? Link.button("Write a template", visit.path / "templates" / "new", "primary") : nil)
    }

    private static func settings(_ visit: AppVisit) -> HTML {
        Show.card("Settings of all messages") {
            FormView.form(
                visit.visit, visit.path / "templates", id: "messages", submit: "Save the settings", replacing: visit.app
            ) { form in
                SettingsForm.content(form, visit.app.messages)
            }
        }
    }
}

extension TemplatePurpose {
    var title: String {
        switch self {
        case .signIn: "Code to sign in"
        case .stepUp: "Code of a step-up"
        case .newIdentifier: "Code for a new identifier"
        case .newDevice: "Notice of a new device"
        case .identifierAdded: "Notice of an added identifier"
        case .identifierRemoved: "Notice of a removed identifier"
        case .passwordChanged: "Notice of a new password"
        case .sessionsEnded: "Notice of an ended session"
        }
    }
}

extension AppVisit {
    func path(of template: MessageTemplate) -> ConsolePath {
        path / "templates" / template.channel.rawValue / template.purpose.rawValue / template.locale.tag
    }
}

/// Adds a template in any language.
private enum NewTemplatePage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/templates/new", show)
        routes.appForm("/templates/new", on: show) { visit, form in
            let key = try TemplateKey(
                channel: form.text("channel") ?? "", purpose: form.text("purpose") ?? "",
                locale: form.required("locale"))
            let template = key.template(subject: form.filled("subject"), text: form.block("text") ?? "")
            try await visit.service.templates.add(template, app: visit.app.id)
            return .redirect(visit.path(of: template), .created)
        }
    }

    @Sendable private static func show(_ visit: AppVisit) async throws -> Page {
        Page(
            "Write a template", app: visit.app, section: .templates, parent: ("Templates", visit.path / "templates")
        ) {
            H.section(.class("card")) {
                FormView.form(
                    visit.visit, visit.path / "templates" / "new", id: "template", submit: "Save the template"
                ) { form in
                    form.choice(
                        "channel", "Channel", OTPLoginConfig.Channel.allCases.map { ($0.rawValue, $0.title) },
                        selected: OTPLoginConfig.Channel.email.rawValue)
                    form.choice(
                        "purpose", "Message", TemplatePurpose.allCases.map { ($0.rawValue, $0.title) },
                        selected: TemplatePurpose.signIn.rawValue)
                    form.text(
                        "locale", "Language", nil, hint: "A language tag, such as it or pt-BR.", isRequired: true)
                    form.text("subject", "Subject", nil, hint: "Of a mail only. One line, without the code.")
                    form.area("text", "Text", "", hint: TemplatePage.hint(for: TemplatePurpose.allCases))
                }
            }
        }
    }
}

/// One template: its texts, and the message that results from them.
enum TemplatePage {
    static func add(to routes: ConsoleRoutes) {
        let template = "/templates/:channel/:purpose/:locale"
        routes.appPage(template, show)
        routes.appForm(template, on: show) { visit, form in
            let (subject, text) = texts(form)
            let template = try visit.templateKey.template(subject: subject, text: text)
            try await visit.service.templates.set(template, app: visit.app.id)
            return .redirect(visit.path(of: template), .saved)
        }
        routes.appForm(template + "/preview", on: show) { visit, form in
            let (subject, text) = texts(form)
            let preview = try await visit.service.templates.preview(
                try visit.templateKey, subject: subject, text: text, app: visit.app.id)
            return .page(try await page(visit, trying: (subject, text, preview)))
        }
        routes.appFile(template + "/mail", MailFrame.show)
        routes.appPage(template + "/delete", showDeletion)
        routes.appForm(template + "/delete", on: showDeletion) { visit, _ in
            try await visit.service.templates.remove(try visit.templateKey, app: visit.app.id)
            return .redirect(visit.path / "templates", .deleted)
        }
    }

    private static func texts(_ form: FormBody) -> (subject: String?, text: String) {
        (form.filled("subject"), form.block("text") ?? "")
    }

    @Sendable private static func show(_ visit: AppVisit) async throws -> Page { try await page(visit, trying: nil) }

    /// - Parameter draft: Texts that are not stored, and the message that results from them.
    private static func page(
        _ visit: AppVisit, trying draft: (subject: String?, text: String, preview: MessagePreview)?
    ) async throws -> Page {
        let key = try visit.templateKey
        let listed = try await visit.service.templates.template(key, app: visit.app.id)
        let stored = listed.template
        let preview: MessagePreview
        if let draft {
            preview = draft.preview
        } else {
            preview = try await visit.service.templates.preview(key, subject: nil, text: nil, app: visit.app.id)
        }
        let path = visit.path(of: stored)
        return page("\(key.purpose.title), \(key.channel.noun), \(key.locale.tag)", visit) {
            Show.card(listed.isBuiltIn ? "The built-in text" : "Your own text") {
                FormView.form(
                    visit.visit, path, id: "template", submit: "Save", elsewhere: ("Preview", path / "preview"),
                    replacing: visit.app
                ) { form in
                    if key.channel == .email {
                        form.text(
                            "subject", "Subject", draft == nil ? stored.subject : draft?.subject,
                            hint: "One line, without the code.", isRequired: true)
                    }
                    form.area("text", "Text", draft?.text ?? stored.text, hint: hint(for: [key.purpose]))
                }
                if visit.visit.canWrite, !listed.isBuiltIn {
                    H.div(.class("actions")) {
                        Link.button("Delete your own text", path / "delete", "danger")
                    }
                }
            }
            TemplatePreview.html(
                preview, isDraft: draft != nil,
                frame: MailFrame.path(below: path, subject: draft?.subject, text: draft?.text))
        }
    }

    /// The variables that a text may have.
    static func hint(for purposes: [TemplatePurpose]) -> String {
        let variables = TemplateVariable.allCases.filter { variable in
            purposes.contains { $0.variables.contains(variable) }
        }
        let names = variables.map(\.placeholder).joined(separator: " ")
        return "An empty line begins a new paragraph. Variables: \(names)"
    }

    @Sendable private static func showDeletion(_ visit: AppVisit) async throws -> Page {
        let key = try visit.templateKey
        let listed = try await visit.service.templates.template(key, app: visit.app.id)
        guard !listed.isBuiltIn else { throw Refusal.notFound("the app has no text of its own for this message") }
        let path = visit.path(of: listed.template)
        return page("Delete your own text", visit) {
            ConfirmPage.content(
                visit.visit, path / "delete",
                consequences: [
                    "Messages of this kind use the built-in text again or, if there is none in this language, another "
                        + "language.",
                    "Messages that wait for their delivery do so, too.", "The text cannot be restored.",
                ], submit: "Delete your own text", back: path)
        }
    }

    private static func page(
        _ title: String, _ visit: AppVisit, @HTMLBuilder content: () -> HTML
    ) -> Page {
        Page(title, app: visit.app, section: .templates, parent: ("Templates", visit.path / "templates")) { content() }
    }
}

extension AppVisit {
    /// The template of the path.
    var templateKey: TemplateKey {
        get throws(Refusal) {
            do throws(Refusal) {
                return try TemplateKey(
                    channel: parameter("channel"), purpose: parameter("purpose"), locale: parameter("locale"))
            } catch {
                throw .notFound("there is no such template")
            }
        }
    }
}

/// A message as a user would get it, with sample values.
private enum TemplatePreview {
    /// - Parameters:
    ///   - isDraft: Whether the texts are not stored.
    ///   - frame: The address of the HTML part of a mail. `nil`: the texts are too long for an address.
    static func html(_ preview: MessagePreview, isDraft: Bool, frame: ConsolePath?) -> HTML {
        let message = preview.message
        return H.section(.class("card"), .id("preview")) {
            H.h2 { isDraft ? "Preview of what you entered" : "Preview" }
            if isDraft { H.p(.class("message warn"), .role("status")) { "This text is not saved yet." } }
            for warning in preview.warnings { H.p(.class("message warn")) { Show.sentence(warning) } }
            H.dl(.class("values")) {
                if let subject = message.subject { Show.pair("Subject", subject) }
                if let length = preview.length {
                    Show.pair("Length", "\(length.units) characters, \(Show.count(length.segments, "segment"))")
                    Show.pair("Alphabet", length.encoding == .gsm7 ? "GSM" : "Unicode")
                }
                H.dt { "Text" }
                H.dd { H.pre(.lang(message.locale.tag)) { H.bdi { message.text } } }
            }
            if message.html != nil {
                if let frame {
                    H.iframe(.class("mail"), .src(frame), .sandbox, .title("The mail with its layout")) {}
                } else {
                    H.p(.class("hint")) { "The text is too long to be shown with its layout before it is saved." }
                }
            }
        }
    }
}

/// The HTML part of a mail, for a frame of the page of its template.
///
/// A mail has its styles in the elements, which the policy of the console forbids. So it is a document of its own: it can run
/// no script, load nothing, send nothing, and has no access to the console, whose pages alone may show it.
private enum MailFrame {
    static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox"

    /// Bytes of an address that every browser and proxy accepts.
    private static let maximumAddress = 7000

    /// - Parameter text: A text that is not stored. `nil`: the stored one is shown.
    /// - Returns: `nil` for texts that are too long for an address.
    static func path(below template: ConsolePath, subject: String?, text: String?) -> ConsolePath? {
        let path = (template / "mail").query(["subject": subject, "text": text])
        return path.text.utf8.count > maximumAddress ? nil : path
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Response {
        let key = try visit.templateKey
        guard key.channel == .email else { throw Refusal.notFound("an SMS has no HTML part") }
        let query = visit.visit.query
        let preview = try await visit.service.templates.preview(
            key, subject: query.filled("subject"), text: query.text("text"), app: visit.app.id)
        return Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy],
            body: ResponseBody(byteBuffer: ByteBuffer(string: preview.message.html ?? "")))
    }
}

import Hummingbird
import NIOCore
import SessionDomain

/// The texts of the messages of an app, and the settings of all of them.
enum TemplatesPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/templates", show)
        routes.appForm("/templates", on: show) { console, form in
            let next = try SettingsForm.read(form, replacing: console.app.messages)
            _ = try await console.service.settings.update(
                MessageSettings.self, of: console.app.id, ifVersion: form.text(FormView.versionField)
            ) { $0.replaceSettings(by: next) }
            return .redirect(console.path / "templates", .saved)
        }
        NewTemplatePage.add(to: routes)
        TemplatePage.add(to: routes)
    }

    private static let everything = ("", "All")

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let all = try await console.service.templates.templates(of: console.app.id)
        let query = console.context.query
        let found = all.filter { listed in
            (query.filled("channel") ?? listed.template.channel.rawValue) == listed.template.channel.rawValue
                && (query.filled("purpose") ?? listed.template.purpose.rawValue) == listed.template.purpose.rawValue
                && (query.filled("locale") ?? listed.template.locale.tag) == listed.template.locale.tag
        }
        return Page("Templates", app: console.app, section: .templates) {
            H.p(.class("lead")) {
                "What messages to users say, by channel, purpose and language. Your own text takes the place of the "
                "built-in one."
            }
            filter(all, console)
            if found.isEmpty {
                Format.empty(
                    "No template matches", "Change the filters, or show all templates.",
                    Link.button("Show all", console.path / "templates"))
            } else {
                list(found, console)
            }
            settings(console)
        }
    }

    private static func filter(_ all: [ListedTemplate], _ console: ConsoleAppContext) -> HTML {
        let languages = Set(all.map(\.template.locale.tag)).sorted()
        return H.section(.class("card")) {
            H.form(.methodGet, .action(console.path / "templates"), .role("search"), .aria(label: "Filters")) {
                H.div(.class("row")) {
                    choice(
                        "channel", "Channel", OTPLoginConfig.Channel.allCases.map { ($0.rawValue, $0.title) }, console)
                    choice("purpose", "Purpose", TemplatePurpose.allCases.map { ($0.rawValue, $0.title) }, console)
                    choice("locale", "Language", languages.map { ($0, $0) }, console)
                    H.div(.class("actions")) { H.button(.type("submit"), .class("primary")) { "Filter" } }
                }
            }
        }
    }

    private static func choice(
        _ name: String, _ label: String, _ options: [(value: String, label: String)], _ console: ConsoleAppContext
    ) -> HTML {
        H.div(.class("field")) {
            H.label(.for("filter-" + name)) { label }
            H.select(.id("filter-" + name), .name(name)) {
                for option in [everything] + options {
                    H.option(
                        .value(option.0), option.0 == console.context.query.filled(name) ?? "" ? .selected : nil
                    ) { option.1 }
                }
            }
        }
    }

    private static func list(_ templates: [ListedTemplate], _ console: ConsoleAppContext) -> HTML {
        TableView.html(
            "Templates", columns: ["Message", "Channel", "Language", "Text", "Begins with"],
            templates.map { listed in
                let template = listed.template
                return TableView.Row(
                    H.a(.href(console.path(of: template))) {
                        template.purpose.title
                        H.span(.class("hidden")) { ", \(template.channel.noun), \(template.locale.tag)" }
                    },
                    HTML(escaping: template.channel.title), Format.code(template.locale.tag),
                    listed.isBuiltIn ? Format.badge("built-in") : Format.badge("your own", "good"),
                    Format.text(String((template.subject ?? template.text).prefix(60))))
            },
            action: console.context.canWrite
                ? Link.button("Write a template", console.path / "templates" / "new", "primary") : nil)
    }

    private static func settings(_ console: ConsoleAppContext) -> HTML {
        Format.card("Settings of all messages") {
            FormView.form(
                console.context, console.path / "templates", id: "messages", submit: "Save the settings",
                replacing: console.app
            ) { form in
                SettingsForm.content(form, console.app.messages)
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
        case .passkeyAdded: "Notice of an added passkey"
        case .passkeyRemoved: "Notice of a removed passkey"
        case .sessionsEnded: "Notice of an ended session"
        }
    }
}

extension ConsoleAppContext {
    func path(of template: MessageTemplate) -> ConsolePath {
        path / "templates" / template.channel.rawValue / template.purpose.rawValue / template.locale.tag
    }
}

/// Adds a template in any language.
private enum NewTemplatePage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/templates/new", show)
        routes.appForm("/templates/new", on: show) { console, form in
            let key = try TemplateKey(
                channel: form.text("channel") ?? "", purpose: form.text("purpose") ?? "",
                locale: form.required("locale"))
            let template = key.template(subject: form.filled("subject"), text: form.block("text") ?? "")
            try await console.service.templates.add(template, app: console.app.id)
            return .redirect(console.path(of: template), .created)
        }
    }

    @Sendable private static func show(_ console: ConsoleAppContext) async throws -> Page {
        Page(
            "Write a template", app: console.app, section: .templates, parent: ("Templates", console.path / "templates")
        ) {
            H.section(.class("card")) {
                FormView.form(
                    console.context, console.path / "templates" / "new", id: "template", submit: "Save the template"
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
        routes.appForm(template, on: show) { console, form in
            let (subject, text) = texts(form)
            let template = try console.templateKey.template(subject: subject, text: text)
            try await console.service.templates.set(template, app: console.app.id)
            return .redirect(console.path(of: template), .saved)
        }
        routes.appForm(template + "/preview", on: show) { console, form in
            let (subject, text) = texts(form)
            let preview = try await console.service.templates.preview(
                try console.templateKey, subject: subject, text: text, app: console.app.id)
            return .page(try await page(console, trying: (subject, text, preview)))
        }
        routes.appFile(template + "/mail", MailFrame.show)
        routes.appPage(template + "/delete", showDeletion)
        routes.appForm(template + "/delete", on: showDeletion) { console, _ in
            try await console.service.templates.remove(try console.templateKey, app: console.app.id)
            return .redirect(console.path / "templates", .deleted)
        }
    }

    private static func texts(_ form: FormBody) -> (subject: String?, text: String) {
        (form.filled("subject"), form.block("text") ?? "")
    }

    @Sendable private static func show(_ console: ConsoleAppContext) async throws -> Page {
        try await page(console, trying: nil)
    }

    /// - Parameter draft: Texts that are not stored, and the message that results from them.
    private static func page(
        _ console: ConsoleAppContext, trying draft: (subject: String?, text: String, preview: MessagePreview)?
    ) async throws -> Page {
        let key = try console.templateKey
        let listed = try await console.service.templates.template(key, app: console.app.id)
        let stored = listed.template
        let preview: MessagePreview
        if let draft {
            preview = draft.preview
        } else {
            preview = try await console.service.templates.preview(key, subject: nil, text: nil, app: console.app.id)
        }
        let path = console.path(of: stored)
        return page("\(key.purpose.title), \(key.channel.noun), \(key.locale.tag)", console) {
            Format.card(listed.isBuiltIn ? "The built-in text" : "Your own text") {
                FormView.form(
                    console.context, path, id: "template", submit: "Save", elsewhere: ("Preview", path / "preview"),
                    replacing: console.app
                ) { form in
                    if key.channel == .email {
                        form.text(
                            "subject", "Subject", draft == nil ? stored.subject : draft?.subject,
                            hint: "One line, without the code.", isRequired: true)
                    }
                    form.area("text", "Text", draft?.text ?? stored.text, hint: hint(for: [key.purpose]))
                }
                if console.context.canWrite, !listed.isBuiltIn {
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

    @Sendable private static func showDeletion(_ console: ConsoleAppContext) async throws -> Page {
        let key = try console.templateKey
        let listed = try await console.service.templates.template(key, app: console.app.id)
        guard !listed.isBuiltIn else { throw Refusal.notFound("the app has no text of its own for this message") }
        let path = console.path(of: listed.template)
        return page("Delete your own text", console) {
            ConfirmPage.content(
                console.context, path / "delete",
                consequences: [
                    "Messages of this kind use the built-in text again or, if there is none in this language, another "
                        + "language.",
                    "Messages that wait for their delivery do so, too.", "The text cannot be restored.",
                ], submit: "Delete your own text", back: path)
        }
    }

    private static func page(
        _ title: String, _ console: ConsoleAppContext, @HTMLBuilder content: () -> HTML
    ) -> Page {
        Page(title, app: console.app, section: .templates, parent: ("Templates", console.path / "templates")) {
            content()
        }
    }
}

extension ConsoleAppContext {
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
            for warning in preview.warnings { H.p(.class("message warn")) { Format.sentence(warning) } }
            H.dl(.class("values")) {
                if let subject = message.subject { Format.pair("Subject", subject) }
                if let length = preview.length {
                    Format.pair("Length", "\(length.units) characters, \(Format.count(length.segments, "segment"))")
                    Format.pair("Alphabet", length.encoding == .gsm7 ? "GSM" : "Unicode")
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

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Response {
        let key = try console.templateKey
        guard key.channel == .email else { throw Refusal.notFound("an SMS has no HTML part") }
        let query = console.context.query
        let preview = try await console.service.templates.preview(
            key, subject: query.filled("subject"), text: query.text("text"), app: console.app.id)
        return Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy],
            body: ResponseBody(byteBuffer: ByteBuffer(string: preview.message.html ?? "")))
    }
}

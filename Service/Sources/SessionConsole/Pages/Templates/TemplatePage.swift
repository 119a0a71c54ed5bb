import Hummingbird
import SessionDomain

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

import SessionDomain

/// Adds a template in any language.
enum NewTemplatePage {
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

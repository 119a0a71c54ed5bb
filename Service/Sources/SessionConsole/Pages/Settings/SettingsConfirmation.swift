import SessionDomain

/// The page that says what a change of settings does to users, before it is saved. It sends the same fields again.
enum SettingsConfirmation {
    private static let field = "confirmed"

    /// Returns the page, or `nil` if it was confirmed or there is nothing to say.
    ///
    /// - Parameter origin: The page of the form, to which "Cancel" leads. `nil`: the first page of the section.
    static func page(
        _ title: String, _ form: FormBody, to action: ConsolePath, in section: Page.Section,
        from origin: (title: String, path: ConsolePath)? = nil, consequences: [String], _ visit: AppVisit
    ) async throws -> FormOutcome? {
        guard !consequences.isEmpty, !isConfirmed(form) else { return nil }
        let back = origin ?? (section.title, section.path(of: visit.app))
        let affected = try await AffectedUsers.all(visit)
        return .page(
            Page(title, app: visit.app, section: section, parent: (back.title, back.path)) {
                content(title, form, to: action, back: back.path, consequences: [affected] + consequences, visit.visit)
            })
    }

    /// Whether the form comes from the page that says what it does.
    static func isConfirmed(_ form: FormBody) -> Bool { form.isChecked(field) }

    /// What a change does, and a form that sends its fields again.
    static func content(
        _ title: String, _ form: FormBody, to action: ConsolePath, back: ConsolePath, consequences: [String],
        _ visit: Visit
    ) -> HTML {
        let note = H.p(.class("message warn"), .role("status")) { "Nothing is saved yet." }
        let card = ConfirmPage.content(visit, action, consequences: consequences, submit: title, back: back) { view in
            for (name, value) in form.all where name != Visit.tokenField { view.hidden(name, value) }
            view.hidden(field, "on")
        }
        return HTML(joining: [note, card])
    }
}

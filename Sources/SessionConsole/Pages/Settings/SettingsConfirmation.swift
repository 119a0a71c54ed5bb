import SessionDomain

/// The page that says what a change of settings does to users, before it is saved. It sends the same fields again.
@available(service, *)
enum SettingsConfirmation {
    private static let field = "confirmed"

    /// Returns the page, or `nil` if it was confirmed or there is nothing to say.
    static func page(
        _ title: String, _ form: FormBody, to action: ConsolePath, back: (section: Page.Section, title: String),
        consequences: [String], _ visit: AppVisit
    ) async throws -> FormOutcome? {
        guard !consequences.isEmpty, !form.isChecked(field) else { return nil }
        let parent = back.section.path(of: visit.app)
        let affected = try await AffectedUsers.all(visit)
        return .page(
            Page(title, app: visit.app, section: back.section, parent: (back.title, parent)) {
                H.p(.class("message warn"), .role("status")) { "Nothing is saved yet." }
                ConfirmPage.content(
                    visit.visit, action, consequences: [affected] + consequences, submit: title, back: parent
                ) { view in
                    for (name, value) in form.all where name != Visit.tokenField { view.hidden(name, value) }
                    view.hidden(field, "on")
                }
            })
    }
}

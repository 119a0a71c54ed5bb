import SessionDomain

/// Which changes of their account users get a notice of.
enum NoticesPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/notices", show)
        routes.appForm("/notices", on: show, save)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let notices = visit.app.messages.notices
        return Page("Notices", app: visit.app, section: .logins, parent: ("Logins", visit.path / "logins")) {
            H.p(.class("lead")) {
                "A notice tells a user by e-mail or SMS what has happened to the account. A thief of an account cannot hide "
                "it."
            }
            H.section(.class("card")) {
                FormView.form(visit.visit, visit.path / "notices", id: "notices", submit: "Save", replacing: visit.app)
                { form in
                    form.checkbox(
                        "password_changed", "The password was changed", notices.passwordChanged)
                    form.checkbox(
                        "identifier_added", "An e-mail address or phone number was added", notices.identifierAdded)
                    form.checkbox(
                        "identifier_removed", "An e-mail address or phone number was removed", notices.identifierRemoved
                    )
                    form.checkbox("sessions_ended", "All sessions were ended", notices.sessionsEnded)
                    form.checkbox(
                        "new_device", "A sign-in from a new device", notices.newDevice,
                        hint: "Most of them are the user's own.")
                }
            }
        }
    }

    /// What users no longer learn.
    static func silenced(by next: NoticeSettings, replacing old: NoticeSettings) -> [String] {
        let kinds: [(KeyPath<NoticeSettings, Bool>, String)] = [
            (\.passwordChanged, "their password was changed"),
            (\.identifierAdded, "an e-mail address or a phone number was added"),
            (\.identifierRemoved, "an e-mail address or a phone number was removed"),
            (\.sessionsEnded, "all their sessions were ended"),
            (\.newDevice, "somebody has signed in from a new device"),
        ]
        let lost = kinds.filter { old[keyPath: $0.0] && !next[keyPath: $0.0] }
            .map { "Users are no longer told that " + $0.1 + "." }
        return lost.isEmpty
            ? [] : lost + ["A thief of an account can do this unnoticed. The audit trail still shows it."]
    }

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        var notices = NoticeSettings()
        notices.passwordChanged = form.isChecked("password_changed")
        notices.identifierAdded = form.isChecked("identifier_added")
        notices.identifierRemoved = form.isChecked("identifier_removed")
        notices.sessionsEnded = form.isChecked("sessions_ended")
        notices.newDevice = form.isChecked("new_device")
        let next = notices
        if let page = try await SettingsConfirmation.page(
            "Save the notices", form, to: visit.path / "notices", in: .logins,
            from: ("Notices", visit.path / "notices"),
            consequences: silenced(by: next, replacing: visit.app.messages.notices), visit)
        {
            return page
        }
        try await visit.service.apps.update(visit.app.id) { app in app.messages.notices = next }
        return .redirect(visit.path / "notices", .saved)
    }
}

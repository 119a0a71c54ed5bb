import SessionDomain

/// Which changes of their account users get a notice of.
@available(service, *)
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

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        var notices = NoticeSettings()
        notices.passwordChanged = form.isChecked("password_changed")
        notices.identifierAdded = form.isChecked("identifier_added")
        notices.identifierRemoved = form.isChecked("identifier_removed")
        notices.sessionsEnded = form.isChecked("sessions_ended")
        notices.newDevice = form.isChecked("new_device")
        let next = notices
        try await visit.service.apps.update(visit.app.id) { app in app.messages.notices = next }
        return .redirect(visit.path / "notices", .saved)
    }
}

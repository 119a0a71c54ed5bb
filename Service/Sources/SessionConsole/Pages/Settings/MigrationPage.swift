import SessionDomain

/// How users of an earlier system are migrated.
enum MigrationPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/migration", show)
        routes.appForm("/migration", on: show, save)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let config = visit.app.migration
        return Page("Migration", app: visit.app, section: .logins, parent: ("Logins", visit.path / "logins")) {
            H.p(.class("lead")) {
                "Users of an earlier system stay signed in: the app sends their old credential once, your backend says whose "
                "it is, and the user gets a session here."
            }
            H.section(.class("card")) {
                if config == nil {
                    H.p(.class("hint")) { "Migration is not configured. Save a URL to begin." }
                }
                FormView.form(
                    visit.visit, visit.path / "migration", id: "migration", submit: "Save", replacing: visit.app
                ) { form in
                    form.text(
                        "session_validation_url", "URL of your backend", config?.sessionValidationURL,
                        hint: "The service sends each old credential to it.", type: "url", isRequired: true)
                }
                if let config {
                    Show.values(["Created": Show.time(config.createdAt), "Changed": Show.time(config.updatedAt)])
                }
            }
        }
    }

    private static func consequences(of url: String, replacing old: String?) -> [String] {
        guard let old, old != url else { return [] }
        return [
            "Credentials of the earlier system are sent to \(url) from now on, not to \(old).",
            "Users of the earlier system whose credentials are not known there must sign in again. The service does not know "
                + "how many these are.",
            "Users who were migrated stay signed in.",
        ]
    }

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        let (url, migration) = (try form.required("session_validation_url"), visit.service.migration)
        try migration.check(url)
        if let page = try await SettingsConfirmation.page(
            "Save the URL", form, to: visit.path / "migration", in: .logins,
            from: ("Migration", visit.path / "migration"),
            consequences: consequences(of: url, replacing: visit.app.migration?.sessionValidationURL), visit)
        {
            return page
        }
        if visit.app.migration == nil {
            _ = try await migration.create(sessionValidationURL: url, app: visit.app.id)
        } else {
            _ = try await migration.replace(sessionValidationURL: url, app: visit.app.id)
        }
        return .redirect(visit.path / "migration", .saved)
    }
}

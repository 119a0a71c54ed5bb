import SessionDomain

/// How users of an earlier system are migrated.
@available(service, *)
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

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        let (url, migration) = (try form.required("session_validation_url"), visit.service.migration)
        if visit.app.migration == nil {
            _ = try await migration.create(sessionValidationURL: url, app: visit.app.id)
        } else {
            _ = try await migration.replace(sessionValidationURL: url, app: visit.app.id)
        }
        return .redirect(visit.path / "migration", .saved)
    }
}

import SessionDomain
import SessionTokens

/// The settings of the app itself: name, domains, origins, sign-up, algorithm and retention.
enum SettingsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/settings", show)
        routes.appForm("/settings", on: show, save)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let app = visit.app
        return Page("Settings", app: app, section: .settings) {
            H.section(.class("card")) {
                FormView.form(visit.visit, visit.path / "settings", id: "app", submit: "Save", replacing: app) { form in
                    form.text("name", "Name", app.name, hint: "Users see it in mails and messages.", isRequired: true)
                    form.group("Web") {
                        form.lines(
                            "allowed_origins", "Allowed origins (CORS)", app.allowedOrigins,
                            hint:
                                "Origins whose pages may call this app, such as https://app.example.com. One per line.")
                        if visit.visit.isForAllApps {
                            form.lines(
                                "domains", "Domains", app.domains,
                                hint: "Hosts under which this app is served, such as login.example.com. One per line.")
                        }
                    }
                    form.group("Users") {
                        form.checkbox(
                            "sign_up", "New users sign up themselves", app.signUp,
                            hint: "Otherwise only users whom you create can sign in.")
                        form.checkbox(
                            "password_change_ends_other_sessions", "A new password ends the user's other sessions",
                            app.passwordChangeEndsOtherSessions)
                        form.checkbox(
                            "register_in_one_step", "A session registers an identifier with one code",
                            app.registersInOneStep,
                            hint: "Otherwise a code to an existing identifier comes first, unless the login is new.")
                        form.number(
                            "new_identifier_hold", "Hold of new identifiers, in seconds", app.newIdentifierHold,
                            hint: "For so long, an identifier that a session registered opens nothing else. Now "
                                + Show.duration(app.newIdentifierHold) + ".")
                    }
                    form.group("Tokens and events") {
                        form.choice(
                            "signing_algorithm", "Algorithm of access tokens",
                            SignatureAlgorithm.allCases.map { ($0.rawValue, $0.rawValue) },
                            selected: app.signingAlgorithm.rawValue,
                            hint: "A new one gets a key, which signs when every backend has had time to fetch it.")
                        form.number("event_retention", "Events are kept, in days", app.eventRetention)
                        form.checkbox(
                            "development_tokens", "Development tokens", app.developmentTokens,
                            hint:
                                "A management key with the role write can then issue access tokens of any user without a login. "
                                + "Nothing can revoke them, so leave it off in production.")
                    }
                }
            }
            Show.card("This app") {
                Show.values(["Id": Show.code(app.id.rawValue), "Created": Show.time(app.createdAt)])
            }
        }
    }

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        // A form without the field leaves the domains as they are.
        let domains = form.text("domains") == nil ? nil : form.lines("domains")
        if domains != nil { try visit.visit.requireAllApps() }
        let algorithm = try form.choice("signing_algorithm", SignatureAlgorithm.allCases)
        let change = AppSettingsChange(
            name: form.text("name") ?? "", domains: domains, allowedOrigins: form.lines("allowed_origins"),
            signUp: form.isChecked("sign_up"),
            passwordChangeEndsOtherSessions: form.isChecked("password_change_ends_other_sessions"),
            registersInOneStep: form.isChecked("register_in_one_step"),
            newIdentifierHold: try form.number("new_identifier_hold"),
            signingAlgorithm: algorithm == visit.app.signingAlgorithm ? nil : algorithm,
            eventRetention: try form.number("event_retention"),
            developmentTokens: form.isChecked("development_tokens"))
        var next = visit.app
        try change.apply(to: &next)
        if let page = try await SettingsConfirmation.page(
            "Save these settings", form, to: visit.path / "settings", in: .settings,
            consequences: AppConsequences.of(next, replacing: visit.app), visit)
        {
            return page
        }
        _ = try await visit.service.apps.change(change, of: visit.app.id, by: visit.visit.key)
        return .redirect(visit.path / "settings", .saved)
    }
}

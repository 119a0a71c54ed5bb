import SessionDomain

/// The operators of the console, and the page on which one is invited.
enum OperatorsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.page("/operators", show)
        routes.page("/operators/new", showNew)
        routes.form("/operators/new", confirming: ConsoleRoutes.always, on: showNew, invite)
        OperatorPage.add(to: routes)
    }

    @Sendable static func show(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        let operators = try await console.service.operators.all()
        let new = console.canWrite ? Link.button("Invite an operator", .operators / "new", "primary") : nil
        return Page("Operators") {
            if operators.isEmpty {
                Format.empty(
                    "There are no operator accounts yet",
                    "An operator signs in with an e-mail address and a code or a password, and has a role. Without "
                        + "accounts, operators sign in with management keys.", new)
            } else {
                TableView.html(
                    "Operator accounts, newest first",
                    columns: ["E-mail address", "Role", "App", "Status", "Password", "Invited", "Audit"],
                    operators.map(row), action: new)
            }
            H.p { H.a(.href(.operators / "events")) { "All events of operator accounts" } }
        }
    }

    private static func row(_ person: ConsoleOperator) -> TableView.Row {
        TableView.Row(
            H.a(.href(.operators / person.id)) { H.bdi { person.name } }, badge(person.role),
            app(of: person), Format.status(person.user.status), HTML(escaping: person.user.hasPassword ? "yes" : "no"),
            Format.time(person.user.createdAt), Link.audit(of: person.name, .actors / person.id))
    }

    static func badge(_ role: OperatorRole) -> HTML { Format.badge(role.rawValue, role == .admin ? "warn" : "") }

    static func app(of person: ConsoleOperator) -> HTML {
        person.appID.map { Format.code($0.rawValue) } ?? HTML(escaping: "all apps")
    }

    @Sendable private static func showNew(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        let apps = try await console.service.apps.apps()
        return Page("Invite an operator", parent: ("Operators", .operators)) {
            H.section(.class("card")) {
                FormView.form(console, .operators / "new", id: "operator", submit: "Invite the operator") { form in
                    form.text(
                        "address", "E-mail address", nil,
                        hint: "Codes for the sign-in are sent to it. The audit trail shows it.", isRequired: true)
                    rights(form, role: .viewer, app: nil, apps)
                }
            }
        }
    }

    /// The fields for role and app.
    static func rights(_ form: FormView, role: OperatorRole, app: AppID?, _ apps: [App]) -> HTML {
        HTML(joining: [
            form.choice(
                "role", "Role",
                [
                    ("viewer", "viewer: looks at all pages"),
                    ("support", "support: also changes users and sessions, and sends events again"),
                    ("admin", "admin: may do everything"),
                ], selected: role.rawValue),
            form.choice(
                "app", "App",
                [("", "all apps")] + apps.map { ($0.id.rawValue, "\($0.name) (\($0.id.rawValue))") },
                selected: app?.rawValue ?? "",
                hint: "Only an operator for all apps can manage operators and create apps."),
        ])
    }

    /// The app of the field `app`. `nil`: all apps.
    static func app(_ form: FormBody) throws(Refusal) -> AppID? {
        // All apps is much more than one, so only what the form sends for them means them.
        guard let text = form.text("app") else { throw .invalidField("app", "is required") }
        if text.isEmpty { return nil }
        guard let id = AppID(text) else { throw .invalidField("app", "must be the id of an app, or empty") }
        return id
    }

    @Sendable private static func invite(_ console: ConsoleContext, _ form: FormBody) async throws -> FormOutcome {
        try console.requireAllApps()
        let person = try await console.service.operators.invite(
            try form.required("address"), role: try form.choice("role", OperatorRole.allCases), app: try app(form))
        return .redirect(.operators / person.id, .invited)
    }
}

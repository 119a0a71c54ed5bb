import SessionDomain

/// The account of the operator who looks at it: the role, and the password.
enum AccountPage {
    static func add(to routes: ConsoleRoutes) {
        routes.page("/account", show)
        routes.form("/account/password", for: .viewer, confirming: ConsoleRoutes.always, on: show, setPassword)
    }

    @Sendable private static func show(_ console: ConsoleContext) async throws -> Page {
        let principal = console.principal
        let ends = try await ends(console)
        return Page("Your account") {
            Format.card("Account") {
                Format.values([
                    "Signed in": Format.time(console.session.signedInAt),
                    principal.operator == nil ? "Management key" : "E-mail address": Format.text(principal.name),
                    "Role": OperatorsPage.badge(principal.role),
                    "App": principal.appID.map { Format.code($0.rawValue) } ?? HTML(escaping: "all apps"),
                ])
                if principal.operator == nil {
                    H.p(.class("hint")) { "You have signed in with a management key, which has no password." }
                }
            }
            if let person = principal.operator {
                Format.card("Password") {
                    H.p {
                        person.user.hasPassword
                            ? "You have a password. You can also sign in with a code."
                            : "You have no password, and sign in with a code."
                    }
                    FormView.form(
                        console, .account / "password", for: .viewer, id: "password", submit: "Set the password",
                        style: ""
                    ) { form in
                        form.text(
                            "password", "New password", nil, hint: ends, type: "password",
                            autocomplete: "new-password", isRequired: true)
                    }
                }
            }
        }
    }

    /// What a new password ends.
    private static func ends(_ console: ConsoleContext) async throws -> String {
        guard let person = console.principal.operator else { return "" }
        let others = try await console.service.operators.sessions(of: person.id).count - 1
        return others < 1
            ? "You have no other session that it could end."
            : "Your \(Format.count(others, "other session")) \(others == 1 ? "ends" : "end")."
    }

    @Sendable private static func setPassword(_ console: ConsoleContext, _ form: FormBody) async throws -> FormOutcome {
        guard let person = console.principal.operator, case .account(let session) = console.session.credential else {
            throw Refusal.conflict("a management key has no password")
        }
        try await console.service.operators.setPassword(
            form.text("password") ?? "", of: person.id, keeping: session)
        return .redirect(.account, .saved)
    }
}

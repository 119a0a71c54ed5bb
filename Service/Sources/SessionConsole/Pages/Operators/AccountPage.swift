import SessionDomain

/// The account of the operator who looks at it: the role, and the password.
enum AccountPage {
    static func add(to routes: ConsoleRoutes) {
        routes.page("/account", show)
        routes.form("/account/password", for: .viewer, confirming: ConsoleRoutes.always, on: show, setPassword)
    }

    @Sendable private static func show(_ visit: Visit) async throws -> Page {
        let principal = visit.principal
        let ends = try await ends(visit)
        return Page("Your account") {
            Show.card("Account") {
                Show.values([
                    "Signed in": Show.time(visit.session.signedInAt),
                    principal.operator == nil ? "Management key" : "E-mail address": Show.text(principal.name),
                    "Role": OperatorsPage.badge(principal.role),
                    "App": principal.appID.map { Show.code($0.rawValue) } ?? HTML(escaping: "all apps"),
                ])
                if principal.operator == nil {
                    H.p(.class("hint")) { "You have signed in with a management key, which has no password." }
                }
            }
            if let person = principal.operator {
                Show.card("Password") {
                    H.p {
                        person.user.hasPassword
                            ? "You have a password. You can also sign in with a code."
                            : "You have no password, and sign in with a code."
                    }
                    FormView.form(
                        visit, .account / "password", for: .viewer, id: "password", submit: "Set the password",
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
    private static func ends(_ visit: Visit) async throws -> String {
        guard let person = visit.principal.operator else { return "" }
        let others = try await visit.service.operators.sessions(of: person.id).count - 1
        return others < 1
            ? "You have no other session that it could end."
            : "Your \(Show.count(others, "other session")) \(others == 1 ? "ends" : "end")."
    }

    @Sendable private static func setPassword(_ visit: Visit, _ form: FormBody) async throws -> FormOutcome {
        guard let person = visit.principal.operator, case .account(let session) = visit.session.credential else {
            throw Refusal.conflict("a management key has no password")
        }
        try await visit.service.operators.setPassword(
            form.text("password") ?? "", of: person.id, keeping: session)
        return .redirect(.account, .saved)
    }
}

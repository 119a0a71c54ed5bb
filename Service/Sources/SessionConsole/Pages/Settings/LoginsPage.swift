import SessionDomain

/// How users sign in: with a password, and with codes.
enum LoginsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/logins", show)
        routes.appForm("/logins/password", on: show, savePassword)
        CodeLoginPage.add(to: routes)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        Page("Logins", app: visit.app, section: .logins) {
            codes(visit)
            password(visit)
            more(visit)
        }
    }

    private static func more(_ visit: AppVisit) -> HTML {
        Show.card("More about logins") {
            H.ul(.class("bullets")) {
                H.li {
                    H.a(.href(visit.path / "limits")) { "Limits" }
                    ": how many codes are sent and checked"
                }
                H.li {
                    H.a(.href(visit.path / "notices")) { "Notices" }
                    ": of which changes of their account users get a message"
                }
                H.li {
                    H.a(.href(visit.path / "migration")) { "Migration" }
                    ": how users of an earlier system stay signed in"
                }
            }
        }
    }

    private static func codes(_ visit: AppVisit) -> HTML {
        let new =
            visit.visit.canWrite
            ? Link.button("Create a login with a code", visit.path / "logins" / "codes" / "new", "primary") : nil
        guard !visit.app.otpLogins.isEmpty else {
            return Show.empty(
                "There is no login with a code", "Users prove an e-mail address or a phone number with a code.", new)
        }
        return TableView.html(
            "Logins with a code", columns: ["Channel", "Default", "Digits", "Granted scopes", "Id"],
            visit.app.otpLogins.map { login in
                TableView.Row(
                    H.a(.href(visit.path / "logins" / "codes" / login.id)) {
                        login.channel == .sms ? "SMS" : "E-mail"
                        H.span(.class("hidden")) { ", " + login.id }
                    }, HTML(escaping: login.isDefault ? "yes" : "no"), HTML(escaping: String(login.codeSize)),
                    Show.text(login.grantedScopes.joined(separator: ", ")), Show.code(login.id))
            }, action: new)
    }

    private static func password(_ visit: AppVisit) -> HTML {
        let stored = visit.app.passwordLogin
        let config = stored ?? PasswordLoginConfig(at: visit.service.environment.now())
        return Show.card("Login with a password") {
            if stored == nil {
                H.p(.class("hint")) { "This app has no login with a password. Save these settings to create it." }
            }
            FormView.form(
                visit.visit, visit.path / "logins" / "password", id: "password",
                submit: stored == nil ? "Create the login" : "Save", replacing: visit.app
            ) { form in
                form.checkbox("enabled", "Users can sign in with a password", config.enabled)
                form.group("New passwords") {
                    form.checkbox(
                        "reject_common_passwords", "Reject common passwords", config.rejectsCommonPasswords,
                        hint: "Also breached ones, and words of the app and the user.")
                    form.number("password_compliancy.min_length", "Minimum length", config.policy.minLength)
                    form.number(
                        "password_compliancy.max_length", "Maximum length", config.policy.maxLength,
                        hint: "1 to 256. 0 is 256."
                    )
                    form.number("password_compliancy.uppercase", "Upper-case letters", config.policy.uppercase)
                    form.number("password_compliancy.lowercase", "Lower-case letters", config.policy.lowercase)
                    form.number("password_compliancy.numbers", "Digits", config.policy.numbers)
                    form.number("password_compliancy.symbols", "Symbols", config.policy.symbols)
                }
            }
            H.p(.class("hint")) {
                "The limits of wrong passwords are those of wrong codes: "
                H.a(.href(visit.path / "limits")) { "Limits" }
            }
        }
    }

    /// What users lose when the login is switched off, or closed by a limit.
    private static func consequences(_ change: PasswordLoginChange, _ visit: AppVisit) async throws -> [String] {
        guard let old = visit.app.passwordLogin, old.enabled else { return [] }
        guard change.enabled == false else { return [] }
        return [
            try await AffectedUsers.with(
                SignInMeans(identifier: .emailAddress, password: true), "an e-mail address and a password", visit),
            "They can no longer sign in with it.",
            visit.app.otpLogins.isEmpty
                ? "The app has no login with a code: no user can sign in."
                : "They sign in with a code instead, if they have an identifier for it.",
            "Sessions stay. The passwords are kept, and are valid again when you switch the login on.",
        ]
    }

    @Sendable private static func savePassword(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        var policy = PasswordPolicy()
        policy.minLength = try form.number("password_compliancy.min_length")
        policy.maxLength = try form.number("password_compliancy.max_length")
        policy.uppercase = try form.number("password_compliancy.uppercase")
        policy.lowercase = try form.number("password_compliancy.lowercase")
        policy.numbers = try form.number("password_compliancy.numbers")
        policy.symbols = try form.number("password_compliancy.symbols")
        let change = PasswordLoginChange(
            enabled: form.isChecked("enabled"), policy: policy,
            rejectsCommonPasswords: form.isChecked("reject_common_passwords"))
        if let page = try await SettingsConfirmation.page(
            change.enabled == false ? "Switch off logins with a password" : "Save the login with a password", form,
            to: visit.path / "logins" / "password",
            in: .logins, consequences: try await consequences(change, visit), visit)
        {
            return page
        }
        let configs = visit.service.loginConfigs
        if visit.app.passwordLogin == nil {
            _ = try await configs.createPasswordLogin(change, app: visit.app.id)
        } else {
            _ = try await configs.replacePasswordLogin(change, app: visit.app.id)
        }
        return .redirect(visit.path / "logins", .saved)
    }
}

import SessionDomain

/// How users sign in: with a password, with codes, and with passkeys.
enum LoginsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/logins", show)
        routes.appForm("/logins/password", on: show, savePassword)
        CodeLoginPage.add(to: routes)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        Page("Logins", app: console.app, section: .logins) {
            codes(console)
            password(console)
            passkeys(console)
            more(console)
        }
    }

    private static func more(_ console: ConsoleAppContext) -> HTML {
        Format.card("More about logins") {
            H.ul(.class("bullets")) {
                H.li {
                    H.a(.href(console.path / "limits")) { "Limits" }
                    ": how many codes are sent and checked"
                }
                H.li {
                    H.a(.href(console.path / "notices")) { "Notices" }
                    ": of which changes of their account users get a message"
                }
                H.li {
                    H.a(.href(console.path / "migration")) { "Migration" }
                    ": how users of an earlier system stay signed in"
                }
            }
        }
    }

    private static func codes(_ console: ConsoleAppContext) -> HTML {
        let new =
            console.context.canWrite
            ? Link.button("Create a login with a code", console.path / "logins" / "codes" / "new", "primary") : nil
        guard !console.app.otpLogins.isEmpty else {
            return Format.empty(
                "There is no login with a code", "Users prove an e-mail address or a phone number with a code.", new)
        }
        return TableView.html(
            "Logins with a code", columns: ["Channel", "Default", "Digits", "Granted scopes", "Id"],
            console.app.otpLogins.map { login in
                TableView.Row(
                    H.a(.href(console.path / "logins" / "codes" / login.id)) {
                        login.channel == .sms ? "SMS" : "E-mail"
                        H.span(.class("hidden")) { ", " + login.id }
                    }, HTML(escaping: login.isDefault ? "yes" : "no"), HTML(escaping: String(login.codeSize)),
                    Format.text(login.grantedScopes.joined(separator: ", ")), Format.code(login.id))
            }, action: new)
    }

    private static func password(_ console: ConsoleAppContext) -> HTML {
        let isMissing = console.app.passwordLogin == nil
        return Format.card("Login with a password") {
            if isMissing {
                H.p(.class("hint")) { "This app has no login with a password. Save these settings to create it." }
            }
            FormView.form(
                console.context, console.path / "logins" / "password", id: "password",
                submit: isMissing ? "Create the login" : "Save", replacing: console.app
            ) { form in
                SettingsForm.content(form, console.app[keyPath: PasswordLoginConfig.place])
            }
            H.p(.class("hint")) {
                "The limits of wrong passwords are those of wrong codes: "
                H.a(.href(console.path / "limits")) { "Limits" }
            }
        }
    }

    private static func passkeys(_ console: ConsoleAppContext) -> HTML {
        let text =
            switch console.app.passkeys {
            case nil: "Passkeys are not configured."
            case let config? where config.loginEnabled: "Users sign in with passkeys of \(config.relyingPartyID)."
            case let config?:
                "Users have passkeys of \(config.relyingPartyID) for step-ups, and do not sign in with them."
            }
        return Format.card("Login with a passkey") {
            H.p { text }
            H.div(.class("actions")) { Link.button("Settings of passkeys", console.path / "passkeys") }
        }
    }

    /// What users lose when the login is switched off.
    private static func consequences(_ next: PasswordLoginConfig, _ console: ConsoleAppContext) async throws -> [String]
    {
        guard console.app.passwordLogin?.enabled == true, !next.enabled else { return [] }
        return [
            try await AffectedUsers.with(
                SignInMeans(identifier: .emailAddress, password: true), "an e-mail address and a password", console),
            "They can no longer sign in with it.",
            !console.app.otpLogins.isEmpty
                ? "They sign in with a code instead, if they have an identifier for it."
                : console.app.acceptsPasskeys
                    ? "The app has no login with a code: only users with a passkey can sign in."
                    : "The app has no login with a code: no user can sign in.",
            "Sessions stay. The passwords are kept, and are valid again when you switch the login on.",
        ]
    }

    @Sendable private static func savePassword(_ console: ConsoleAppContext, _ form: FormBody) async throws
        -> FormOutcome
    {
        let stored = console.app[keyPath: PasswordLoginConfig.place]
        let next = try SettingsForm.read(form, replacing: stored)
        try console.service.settings.check(next, replacing: stored)
        if let page = try await SettingsConfirmation.page(
            next.enabled ? "Save the login with a password" : "Switch off logins with a password", form,
            to: console.path / "logins" / "password",
            in: .logins, consequences: try await consequences(next, console), console)
        {
            return page
        }
        _ = try await console.service.settings.update(
            PasswordLoginConfig.self, of: console.app.id, ifVersion: form.text(FormView.versionField)
        ) { $0.replaceSettings(by: next) }
        return .redirect(console.path / "logins", .saved)
    }
}

import SessionDomain

/// One login with a code.
enum CodeLoginPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/logins/codes/new", showNew)
        routes.appForm("/logins/codes/new", on: showNew) { console, form in
            let login = try SettingsForm.read(form, replacing: OTPLoginConfig.defaults)
            try console.service.loginConfigs.check(login, in: console.app)
            var next = console.app
            next.set(login)
            if let page = try await SettingsConfirmation.page(
                "Create the login", form, to: console.path / "logins" / "codes" / "new", in: .logins,
                consequences: lostByDefault(in: next, console), console)
            {
                return page
            }
            _ = try await console.service.loginConfigs.createOTPLogin(login, app: console.app.id)
            return .redirect(console.path / "logins", .created)
        }
        routes.appPage("/logins/codes/:config_id", show)
        routes.appForm("/logins/codes/:config_id", on: show, save)
        routes.appPage("/logins/codes/:config_id/delete", showDeletion)
        routes.appForm(
            "/logins/codes/:config_id/delete", confirming: ConsoleRoutes.always, on: showDeletion
        ) { console, _ in
            try await console.service.loginConfigs.deleteOTPLogin(console.parameter("config_id"), app: console.app.id)
            return .redirect(console.path / "logins", .deleted)
        }
    }

    @Sendable private static func showNew(_ console: ConsoleAppContext) async throws -> Page {
        page("Create a login with a code", console) {
            H.section(.class("card")) {
                FormView.form(
                    console.context, console.path / "logins" / "codes" / "new", id: "login", submit: "Create the login",
                    replacing: console.app
                ) { SettingsForm.content($0, OTPLoginConfig.defaults) }
            }
        }
    }

    @Sendable private static func show(_ console: ConsoleAppContext) async throws -> Page {
        let login = try await console.service.loginConfigs.otpLogin(console.parameter("config_id"), app: console.app.id)
        let path = console.path / "logins" / "codes" / login.id
        return page("Login with a code", console) {
            H.section(.class("card")) {
                FormView.form(console.context, path, id: "login", submit: "Save", replacing: console.app) {
                    SettingsForm.content($0, login)
                }
                Format.values([
                    "Id": Format.code(login.id), "Created": Format.time(login.createdAt),
                    "Changed": Format.time(login.updatedAt),
                ])
                if console.context.canWrite {
                    H.div(.class("actions")) { Link.button("Delete", path / "delete", "danger") }
                }
            }
        }
    }

    /// What users lose by another login in place of one, or by none.
    private static func consequences(
        of next: OTPLoginConfig?, replacing login: OTPLoginConfig, _ console: ConsoleAppContext
    ) async throws -> [String] {
        var app = console.app
        if let next { app.set(next) } else { app.otpLogins.removeAll { $0.id == login.id } }
        let others = app.otpLogins.count { $0.channel == login.channel }
        var lost: [String] = []
        if others == 0 {
            let channel = Format.channel(login.channel)
            lost.append("It is the last login with \(channel): no user can sign in with \(channel) any more.")
            lost += try await AffectedUsers.losing(login.channel, in: app, console)
        }
        let ended = console.app.grantableScopes.subtracting(app.grantableScopes)
        for scope in ended.sorted() {
            lost.append("No other login and no rule grants \(scope).")
            lost += try await AffectedUsers.granted(scope, console)
        }
        let fewer = Set(login.grantedScopes).subtracting(next?.grantedScopes ?? []).sorted()
        if next != nil, !fewer.isEmpty {
            lost.append("Sessions that begin from now on do not get \(fewer.joined(separator: ", ")) by this login.")
            let kept = fewer.filter { !(ReservedScope.isReserved($0) && ended.contains($0)) }
            if !kept.isEmpty { lost.append("Sessions that have \(kept.joined(separator: ", ")) keep it.") }
        }
        return lost + lostByDefault(in: app, console)
    }

    /// What later sessions lose because another login is the default of its channel.
    private static func lostByDefault(in next: App, _ console: ConsoleAppContext) -> [String] {
        var lost: [String] = []
        for channel in OTPLoginConfig.Channel.allCases {
            guard let before = console.app.defaultLogin(with: channel.identifierType),
                let after = next.defaultLogin(with: channel.identifierType), before.id != after.id
            else { continue }
            let fewer = Set(before.grantedScopes).subtracting(after.grantedScopes).sorted()
            guard !fewer.isEmpty else { continue }
            lost.append(
                "Another login with \(Format.channel(channel)) is the default. It does not grant "
                    + fewer.joined(separator: ", ") + ".")
        }
        return lost.isEmpty ? [] : lost + ["Sessions that have these scopes keep them\(exception(in: next, console))."]
    }

    /// The scopes that sessions do not keep. Those of a login last as long as the session, but for reserved ones.
    private static func exception(in next: App, _ console: ConsoleAppContext) -> String {
        let ended = console.app.grantableScopes.subtracting(next.grantableScopes).filter(ReservedScope.isReserved)
        return ended.isEmpty ? "" : ", other than " + ended.sorted().joined(separator: ", ")
    }

    @Sendable private static func save(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        let logins = console.service.loginConfigs
        let stored = try await logins.otpLogin(console.parameter("config_id"), app: console.app.id)
        let next = try SettingsForm.read(form, replacing: stored)
        try logins.check(next, in: console.app)
        if let page = try await SettingsConfirmation.page(
            "Save the login", form, to: console.path / "logins" / "codes" / stored.id, in: .logins,
            from: ("Login with a code", console.path / "logins" / "codes" / stored.id),
            consequences: try await consequences(of: next, replacing: stored, console), console)
        {
            return page
        }
        _ = try await logins.replaceOTPLogin(stored.id, app: console.app.id) { $0.replaceSettings(by: next) }
        return .redirect(console.path / "logins", .saved)
    }

    @Sendable private static func showDeletion(_ console: ConsoleAppContext) async throws -> Page {
        let login = try await console.service.loginConfigs.otpLogin(console.parameter("config_id"), app: console.app.id)
        let others = console.app.otpLogins.count { $0.channel == login.channel } - 1
        let channel = Format.channel(login.channel)
        let rest = others == 0 ? [] : ["The app has \(Format.count(others, "other login")) with \(channel)."]
        let lost = try await consequences(of: nil, replacing: login, console)
        var next = console.app
        next.otpLogins.removeAll { $0.id == login.id }
        let exception = exception(in: next, console)
        return page("Delete the login", console) {
            ConfirmPage.content(
                console.context, console.path / "logins" / "codes" / login.id / "delete",
                consequences: rest + lost + [
                    "Users who are signed in stay signed in, and keep the scopes of this login\(exception).",
                    "This cannot be undone.",
                ],
                submit: "Delete the login", back: console.path / "logins" / "codes" / login.id
            ) { form in
                // What the page says depends on the other logins.
                form.hidden(FormView.versionField, console.app.version)
            }
        }
    }

    private static func page(_ title: String, _ console: ConsoleAppContext, content: () -> HTML) -> Page {
        Page(title, app: console.app, section: .logins, parent: ("Logins", console.path / "logins")) { content() }
    }
}

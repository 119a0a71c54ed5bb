import SessionDomain

/// One login with a code.
enum CodeLoginPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/logins/codes/new", showNew)
        routes.appForm("/logins/codes/new", on: showNew) { visit, form in
            let login = try SettingsForm.read(form, replacing: OTPLoginConfig.defaults)
            try visit.service.loginConfigs.check(login, in: visit.app)
            var next = visit.app
            next.set(login)
            if let page = try await SettingsConfirmation.page(
                "Create the login", form, to: visit.path / "logins" / "codes" / "new", in: .logins,
                consequences: lostByDefault(in: next, visit), visit)
            {
                return page
            }
            _ = try await visit.service.loginConfigs.createOTPLogin(login, app: visit.app.id)
            return .redirect(visit.path / "logins", .created)
        }
        routes.appPage("/logins/codes/:config_id", show)
        routes.appForm("/logins/codes/:config_id", on: show, save)
        routes.appPage("/logins/codes/:config_id/delete", showDeletion)
        routes.appForm(
            "/logins/codes/:config_id/delete", confirming: ConsoleRoutes.always, on: showDeletion
        ) { visit, _ in
            try await visit.service.loginConfigs.deleteOTPLogin(visit.parameter("config_id"), app: visit.app.id)
            return .redirect(visit.path / "logins", .deleted)
        }
    }

    @Sendable private static func showNew(_ visit: AppVisit) async throws -> Page {
        page("Create a login with a code", visit) {
            H.section(.class("card")) {
                FormView.form(
                    visit.visit, visit.path / "logins" / "codes" / "new", id: "login", submit: "Create the login",
                    replacing: visit.app
                ) { SettingsForm.content($0, OTPLoginConfig.defaults) }
            }
        }
    }

    @Sendable private static func show(_ visit: AppVisit) async throws -> Page {
        let login = try await visit.service.loginConfigs.otpLogin(visit.parameter("config_id"), app: visit.app.id)
        let path = visit.path / "logins" / "codes" / login.id
        return page("Login with a code", visit) {
            H.section(.class("card")) {
                FormView.form(visit.visit, path, id: "login", submit: "Save", replacing: visit.app) {
                    SettingsForm.content($0, login)
                }
                Show.values([
                    "Id": Show.code(login.id), "Created": Show.time(login.createdAt),
                    "Changed": Show.time(login.updatedAt),
                ])
                if visit.visit.canWrite {
                    H.div(.class("actions")) { Link.button("Delete", path / "delete", "danger") }
                }
            }
        }
    }

    /// What users lose by another login in place of one, or by none.
    private static func consequences(
        of next: OTPLoginConfig?, replacing login: OTPLoginConfig, _ visit: AppVisit
    ) async throws -> [String] {
        var app = visit.app
        if let next { app.set(next) } else { app.otpLogins.removeAll { $0.id == login.id } }
        let others = app.otpLogins.count { $0.channel == login.channel }
        var lost: [String] = []
        if others == 0 {
            let channel = Show.channel(login.channel)
            lost.append("It is the last login with \(channel): no user can sign in with \(channel) any more.")
            lost += try await AffectedUsers.losing(login.channel, in: app, visit)
        }
        let ended = visit.app.grantableScopes.subtracting(app.grantableScopes)
        for scope in ended.sorted() {
            lost.append("No other login and no rule grants \(scope).")
            lost += try await AffectedUsers.granted(scope, visit)
        }
        let fewer = Set(login.grantedScopes).subtracting(next?.grantedScopes ?? []).sorted()
        if next != nil, !fewer.isEmpty {
            lost.append("Sessions that begin from now on do not get \(fewer.joined(separator: ", ")) by this login.")
            let kept = fewer.filter { !(ReservedScope.isReserved($0) && ended.contains($0)) }
            if !kept.isEmpty { lost.append("Sessions that have \(kept.joined(separator: ", ")) keep it.") }
        }
        return lost + lostByDefault(in: app, visit)
    }

    /// What later sessions lose because another login is the default of its channel.
    private static func lostByDefault(in next: App, _ visit: AppVisit) -> [String] {
        var lost: [String] = []
        for channel in OTPLoginConfig.Channel.allCases {
            guard let before = visit.app.defaultLogin(with: channel.identifierType),
                let after = next.defaultLogin(with: channel.identifierType), before.id != after.id
            else { continue }
            let fewer = Set(before.grantedScopes).subtracting(after.grantedScopes).sorted()
            guard !fewer.isEmpty else { continue }
            lost.append(
                "Another login with \(Show.channel(channel)) is the default. It does not grant "
                    + fewer.joined(separator: ", ") + ".")
        }
        return lost.isEmpty ? [] : lost + ["Sessions that have these scopes keep them\(exception(in: next, visit))."]
    }

    /// The scopes that sessions do not keep. Those of a login last as long as the session, but for reserved ones.
    private static func exception(in next: App, _ visit: AppVisit) -> String {
        let ended = visit.app.grantableScopes.subtracting(next.grantableScopes).filter(ReservedScope.isReserved)
        return ended.isEmpty ? "" : ", other than " + ended.sorted().joined(separator: ", ")
    }

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        let logins = visit.service.loginConfigs
        let stored = try await logins.otpLogin(visit.parameter("config_id"), app: visit.app.id)
        let next = try SettingsForm.read(form, replacing: stored)
        try logins.check(next, in: visit.app)
        if let page = try await SettingsConfirmation.page(
            "Save the login", form, to: visit.path / "logins" / "codes" / stored.id, in: .logins,
            from: ("Login with a code", visit.path / "logins" / "codes" / stored.id),
            consequences: try await consequences(of: next, replacing: stored, visit), visit)
        {
            return page
        }
        _ = try await logins.replaceOTPLogin(stored.id, app: visit.app.id) { $0.replaceSettings(by: next) }
        return .redirect(visit.path / "logins", .saved)
    }

    @Sendable private static func showDeletion(_ visit: AppVisit) async throws -> Page {
        let login = try await visit.service.loginConfigs.otpLogin(visit.parameter("config_id"), app: visit.app.id)
        let others = visit.app.otpLogins.count { $0.channel == login.channel } - 1
        let channel = Show.channel(login.channel)
        let rest = others == 0 ? [] : ["The app has \(Show.count(others, "other login")) with \(channel)."]
        let lost = try await consequences(of: nil, replacing: login, visit)
        var next = visit.app
        next.otpLogins.removeAll { $0.id == login.id }
        let exception = exception(in: next, visit)
        return page("Delete the login", visit) {
            ConfirmPage.content(
                visit.visit, visit.path / "logins" / "codes" / login.id / "delete",
                consequences: rest + lost + [
                    "Users who are signed in stay signed in, and keep the scopes of this login\(exception).",
                    "This cannot be undone.",
                ],
                submit: "Delete the login", back: visit.path / "logins" / "codes" / login.id
            ) { form in
                // What the page says depends on the other logins.
                form.hidden(FormView.versionField, visit.app.version)
            }
        }
    }

    private static func page(_ title: String, _ visit: AppVisit, content: () -> HTML) -> Page {
        Page(title, app: visit.app, section: .logins, parent: ("Logins", visit.path / "logins")) { content() }
    }
}

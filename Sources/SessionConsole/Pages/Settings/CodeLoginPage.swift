import SessionDomain

/// One login with a code.
@available(service, *)
enum CodeLoginPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/logins/codes/new", showNew)
        routes.appForm("/logins/codes/new", on: showNew) { visit, form in
            _ = try await visit.service.loginConfigs.createOTPLogin(try change(form), app: visit.app.id)
            return .redirect(visit.path / "logins", .created)
        }
        routes.appPage("/logins/codes/:config_id", show)
        routes.appForm("/logins/codes/:config_id", on: show) { visit, form in
            _ = try await visit.service.loginConfigs.replaceOTPLogin(
                visit.parameter("config_id"), try change(form), app: visit.app.id)
            return .redirect(visit.path / "logins", .saved)
        }
        routes.appPage("/logins/codes/:config_id/delete", showDeletion)
        routes.appForm(
            "/logins/codes/:config_id/delete", confirming: ConsoleRoutes.always, on: showDeletion
        ) { visit, _ in
            try await visit.service.loginConfigs.deleteOTPLogin(visit.parameter("config_id"), app: visit.app.id)
            return .redirect(visit.path / "logins", .deleted)
        }
    }

    private static func change(_ form: FormBody) throws(Refusal) -> OTPLoginChange {
        OTPLoginChange(
            channel: try form.choice("channel_type", OTPLoginConfig.Channel.allCases),
            isDefault: form.isChecked("is_default"), templateID: form.filled("template_id"),
            senderID: form.filled("sender_id"), grantedScopes: form.lines("granted_scopes"),
            codeSize: try form.number("code_size"))
    }

    @Sendable private static func showNew(_ visit: AppVisit) async throws -> Page {
        page("Create a login with a code", visit) {
            H.section(.class("card")) {
                FormView.form(
                    visit.visit, visit.path / "logins" / "codes" / "new", id: "login", submit: "Create the login"
                ) { fields($0, nil) }
            }
        }
    }

    @Sendable private static func show(_ visit: AppVisit) async throws -> Page {
        let login = try await visit.service.loginConfigs.otpLogin(visit.parameter("config_id"), app: visit.app.id)
        let path = visit.path / "logins" / "codes" / login.id
        return page("Login with a code", visit) {
            H.section(.class("card")) {
                FormView.form(visit.visit, path, id: "login", submit: "Save", replacing: visit.app) {
                    fields($0, login)
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

    private static func fields(_ form: FormView, _ login: OTPLoginConfig?) -> HTML {
        HTML(joining: [
            form.choice(
                "channel_type", "Channel", [("email", "E-mail"), ("sms", "SMS")],
                selected: login?.channel.rawValue ?? "email"),
            form.checkbox(
                "is_default", "Default of its channel", login?.isDefault ?? false,
                hint: "It is used when an app names no login."),
            form.number("code_size", "Digits of a code", login?.codeSize ?? 6, hint: "4 to 10."),
            form.lines(
                "granted_scopes", "Granted scopes", login?.grantedScopes ?? [],
                hint: "One per line. Each must be registered in the app."),
            form.text("template_id", "Template id", login?.templateID, hint: "For your own message route."),
            form.text("sender_id", "Sender id", login?.senderID, hint: "For your own message route."),
        ])
    }

    @Sendable private static func showDeletion(_ visit: AppVisit) async throws -> Page {
        let login = try await visit.service.loginConfigs.otpLogin(visit.parameter("config_id"), app: visit.app.id)
        let others = visit.app.otpLogins.count { $0.channel == login.channel } - 1
        let channel = login.channel == .sms ? "SMS" : "e-mail"
        return page("Delete the login", visit) {
            ConfirmPage.content(
                visit.visit, visit.path / "logins" / "codes" / login.id / "delete",
                consequences: [
                    others == 0
                        ? "It is the last login with \(channel): no user can sign in with \(channel) any more."
                        : "The app has \(Show.count(others, "other login")) with \(channel).",
                    "Users who are signed in stay signed in.",
                    "Scopes that only this login grants lose their grants.", "This cannot be undone.",
                ], submit: "Delete the login", back: visit.path / "logins" / "codes" / login.id)
        }
    }

    private static func page(_ title: String, _ visit: AppVisit, content: () -> HTML) -> Page {
        Page(title, app: visit.app, section: .logins, parent: ("Logins", visit.path / "logins")) { content() }
    }
}

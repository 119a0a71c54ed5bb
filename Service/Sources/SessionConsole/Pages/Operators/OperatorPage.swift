import SessionDomain

/// One operator: rights, status and sessions.
enum OperatorPage {
    /// The field with the version of the account that the page has shown.
    private static let version = "version"

    static func add(to routes: ConsoleRoutes) {
        let path = "/operators/:operator_id"
        routes.page(path, show)
        routes.form(path + "/role", confirming: ConsoleRoutes.always, on: show) { console, form in
            try console.requireAllApps()
            let (role, app) = (try form.choice("role", OperatorRole.allCases), try OperatorsPage.app(form))
            if let page = try await loss(role, app, form, console) { return page }
            try await console.service.operators.setRole(
                role, app: app, of: console.operatorID, seen: form.text(version), by: console.principal)
            return .redirect(.operators / console.operatorID, .saved)
        }
        routes.page(path + "/status", showStatus)
        routes.form(path + "/status", confirming: ConsoleRoutes.always, on: showStatus) { console, form in
            try console.requireAllApps()
            try await console.service.operators.setStatus(
                try form.choice("status", [.active, .suspended]), of: console.operatorID, by: console.principal)
            return .redirect(.operators / console.operatorID, .saved)
        }
        routes.page(path + "/remove", showRemoval)
        routes.form(path + "/remove", confirming: ConsoleRoutes.always, on: showRemoval) { console, _ in
            try console.requireAllApps()
            try await console.service.operators.remove(console.operatorID, by: console.principal)
            return .redirect(.operators, .deleted)
        }
        routes.form(path + "/limits", confirming: ConsoleRoutes.always, on: show) { console, _ in
            try console.requireAllApps()
            try await console.service.operators.clearLimits(of: console.operatorID)
            return .redirect(.operators / console.operatorID, .cleared)
        }
        let session = path + "/sessions/:session_id/revoke"
        routes.page(session, showRevocation)
        routes.form(session, confirming: ConsoleRoutes.always, on: showRevocation) { console, _ in
            try console.requireAllApps()
            try await console.service.operators.endSession(console.parameter("session_id"), of: console.operatorID)
            return .redirect(.operators / console.operatorID, .revoked)
        }
    }

    @Sendable private static func show(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        let person = try await console.service.operators.find(console.operatorID)
        let sessions = try await console.service.operators.sessions(of: person.id)
        let apps = try await console.service.apps.apps()
        let path = ConsolePath.operators / person.id
        let isOwn = console.principal.operator?.id == person.id
        return Page(person.name, parent: ("Operators", .operators)) {
            Format.card("Account") {
                Format.values([
                    "Status": Format.status(person.user.status), "Role": OperatorsPage.badge(person.role),
                    "App": OperatorsPage.app(of: person), "User id": Format.code(person.id),
                    "Password": HTML(escaping: person.user.hasPassword ? "yes" : "no"),
                    "Invited": Format.time(person.user.createdAt), "Changed": Format.time(person.user.updatedAt),
                ])
                if isOwn {
                    H.p(.class("hint")) { "This is your own account. Another admin can change it." }
                } else if console.canWrite {
                    FormView.form(console, path / "role", id: "role", submit: "Save", style: "") { form in
                        form.hidden(version, console.problem?.entered.text(version) ?? person.version)
                        OperatorsPage.rights(form, role: person.role, app: person.appID, apps)
                    }
                    H.div(.class("actions")) {
                        person.user.status == .active
                            ? Link.button("Suspend", (path / "status").query(["to": "suspended"]), "danger")
                            : Link.button("Activate", (path / "status").query(["to": "active"]))
                        Link.button("Remove", path / "remove", "danger")
                    }
                }
            }
            table(sessions, path, console)
            if console.canWrite {
                Format.card("Limits") {
                    H.p {
                        "Strangers who enter wrong passwords or codes close the sign-in of an address for others than its "
                            + "known browsers, in the end for 30 days."
                    }
                    FormView.form(console, path / "limits", id: "limits", submit: "Set the limits back", style: "")
                }
            }
            H.ul(.class("bullets")) {
                H.li { H.a(.href(.actors / person.id)) { "What this operator did" } }
                H.li {
                    H.a(.href((ConsolePath.operators / "events").query(["user_id": person.id]))) {
                        "All events about this account"
                    }
                }
            }
        }
    }

    private static func table(_ sessions: [Session], _ path: ConsolePath, _ console: ConsoleContext) -> HTML {
        guard !sessions.isEmpty else {
            return Format.empty("No active session", "The operator is not signed in.")
        }
        let hint = H.p(.class("hint")) {
            "A session ends with the sign-out, 30 minutes after its last request, and 12 hours after the sign-in. This list "
                + "has all that were not signed out within 12 hours."
        }
        let table = TableView.html(
            "Active sessions",
            columns: ["Device", "Country", "Signed in", "Ends"] + (console.canWrite ? ["Action"] : []),
            sessions.map { session in
                let name = SessionTable.name(of: session.device)
                let action = Link.button(
                    "Revoke", path / "sessions" / session.id / "revoke", "small danger",
                    label: "Revoke the session on " + name)
                return TableView.Row(
                    head: H.bdi { name },
                    cells: [
                        Format.text(session.device.countryCode), Format.time(session.createdAt),
                        Format.time(session.expiresAt),
                    ] + (console.canWrite ? [action] : []))
            })
        return HTML(joining: [table, hint])
    }

    @Sendable private static func showStatus(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        let (person, sessions) = try await subject(console)
        let isActivation = console.query.text("to") == User.Status.active.rawValue
        let title = isActivation ? "Activate the operator" : "Suspend the operator"
        let path = ConsolePath.operators / person.id
        return Page(title, parent: (person.name, path)) {
            ConfirmPage.content(
                console, path / "status",
                consequences: isActivation
                    ? ["\(person.name) can sign in again, with the role \(person.role.rawValue)."]
                    : [
                        "\(person.name) can no longer sign in.", ended(sessions), keys,
                        "You can activate the operator again.",
                    ], submit: title, back: path
            ) { form in
                form.hidden(
                    "status", isActivation ? User.Status.active.rawValue : User.Status.suspended.rawValue)
            }
        }
    }

    @Sendable private static func showRevocation(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        let (person, id) = (
            try await console.service.operators.find(console.operatorID), console.parameter("session_id")
        )
        let sessions = try await console.service.operators.sessions(of: person.id)
        guard let ended = sessions.first(where: { $0.id == id }) else {
            throw Refusal.notFound("the operator has no such session")
        }
        let (path, others) = (ConsolePath.operators / person.id, sessions.count - 1)
        return Page("Revoke the session", parent: (person.name, path)) {
            ConfirmPage.content(
                console, path / "sessions" / ended.id / "revoke",
                consequences: [
                    "\(person.name) is signed out of the console on this device: "
                        + SessionTable.name(of: ended.device) + ".",
                    others == 0
                        ? "The operator has no other active session."
                        : "\(Format.count(others, "other active session")) \(others == 1 ? "stays" : "stay").",
                    "The operator can sign in again.",
                ], submit: "Revoke the session", back: path)
        }
    }

    @Sendable private static func showRemoval(_ console: ConsoleContext) async throws -> Page {
        try console.requireAllApps()
        let (person, sessions) = try await subject(console)
        let path = ConsolePath.operators / person.id
        return Page("Remove the operator", parent: (person.name, path)) {
            ConfirmPage.content(
                console, path / "remove",
                consequences: [
                    "The account of \(person.name) is deleted.", ended(sessions), keys,
                    "The audit trail keeps what the operator did, under the id \(person.id).", "This cannot be undone.",
                ], submit: "Remove the operator", back: path)
        }
    }

    /// The page before an operator gets fewer rights.
    private static func loss(
        _ role: OperatorRole, _ appID: AppID?, _ form: FormBody, _ console: ConsoleContext
    ) async throws -> FormOutcome? {
        let (person, sessions) = try await subject(console)
        // Another admin has changed the rights meanwhile: `setRole` refuses it.
        guard form.text(version) ?? person.version == person.version else { return nil }
        var app: App?
        if let appID { app = try await console.service.apps.app(appID) }
        let lost = RightsConsequences.of(role, app: app, replacing: person)
        let isOwn = console.principal.operator?.id == person.id
        guard !lost.isEmpty, !isOwn, !SettingsConfirmation.isConfirmed(form) else { return nil }
        let (title, path) = ("Change the rights", ConsolePath.operators / person.id)
        let stay =
            sessions == 0
            ? "The operator has no active session."
            : "\(Format.count(sessions, "active session")) \(sessions == 1 ? "stays" : "stay"), with these rights."
        return .page(
            Page(title, parent: (person.name, path)) {
                SettingsConfirmation.content(
                    title, form, to: path / "role", back: path, consequences: lost + [stay, keys], console)
            })
    }

    private static let keys =
        "Management keys that the operator created stay valid. Revoke those that nothing else uses."

    private static func ended(_ sessions: Int) -> String {
        sessions == 0
            ? "The operator has no active session."
            : "\(Format.count(sessions, "active session")) \(sessions == 1 ? "ends" : "end") at once."
    }

    private static func subject(_ console: ConsoleContext) async throws -> (ConsoleOperator, sessions: Int) {
        let person = try await console.service.operators.find(console.operatorID)
        return (person, try await console.service.operators.sessions(of: person.id).count)
    }
}

extension ConsoleContext {
    /// The id of the operator of the path.
    fileprivate var operatorID: String { parameter("operator_id") }
}

/// What other rights take from an operator.
enum RightsConsequences {
    /// All that changes. Empty for a change that takes nothing.
    static func of(_ role: OperatorRole, app: App?, replacing person: ConsoleOperator) -> [String] {
        let isOtherApp = app?.id != person.appID
        guard role < person.role || (app != nil && isOtherApp) else { return [] }
        var changes: [String] = []
        if role != person.role {
            changes.append(
                "\(person.name) gets the role \(role.rawValue) instead of \(person.role.rawValue): \(meaning(of: role))."
            )
        }
        if isOtherApp {
            let next = app.map { "the app \($0.id.rawValue) (\($0.name)) only" } ?? "all apps"
            let before = person.appID.map { "with the app \($0.rawValue) only" } ?? "with all apps"
            changes.append("\(person.name) works with \(next), not \(before).")
        }
        return changes
    }

    private static func meaning(of role: OperatorRole) -> String {
        switch role {
        case .viewer: "looks at pages, and changes nothing"
        case .support: "changes users and sessions, and no settings"
        case .admin: "may do everything"
        }
    }
}

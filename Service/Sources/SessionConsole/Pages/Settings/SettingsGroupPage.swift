import SessionDomain

/// The page of a group of settings: its form, and what a change does to users before it is saved.
struct SettingsGroupPage<Group: SettingsGroup>: Sendable {
    typealias Consequences = @Sendable (_ next: Group, _ stored: Group, ConsoleAppContext) async throws -> [String]

    let title: String
    /// Below the address of the app.
    let path: String
    let section: Page.Section
    /// The page above it. `nil`: it is the first page of its section.
    var parent: (title: String, path: String)?
    var lead: String?
    /// The button of the page that says what a change does.
    let confirm: String
    /// What the change takes from users. Empty: nothing.
    let consequences: Consequences
    /// The names of fields that only an operator of all apps sees and sets.
    var hidden: @Sendable (ConsoleAppContext) -> Set<String> = { _ in [] }
    /// Shown above the form while the app is without the group.
    var missing: String?
    /// Cards below the form.
    var more: @Sendable (ConsoleAppContext) -> HTML = { _ in .empty }

    func add(to routes: ConsoleRoutes) {
        routes.appPage("/" + path, show)
        routes.appForm("/" + path, on: show, save)
    }

    @Sendable func show(_ console: ConsoleAppContext) async throws -> Page {
        Page(title, app: console.app, section: section, parent: parent.map { ($0.title, console.path / $0.path) }) {
            if let lead { H.p(.class("lead")) { lead } }
            H.section(.class("card")) {
                if let missing, !Group.isConfigured(in: console.app) { H.p(.class("hint")) { missing } }
                FormView.form(console.context, console.path / path, id: path, submit: "Save", replacing: console.app) {
                    form in
                    SettingsForm.content(form, console.app[keyPath: Group.place], without: hidden(console))
                }
            }
            more(console)
        }
    }

    @Sendable private func save(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        if hidden(console).contains(where: { form.text($0) != nil }) { try console.context.requireAllApps() }
        let stored = console.app[keyPath: Group.place]
        let next = try SettingsForm<Group>.read(form, replacing: stored)
        try console.service.settings.check(next, replacing: stored)
        if let page = try await SettingsConfirmation.page(
            confirm, form, to: console.path / path, in: section,
            from: parent.map { _ in (title, console.path / path) },
            consequences: try await consequences(next, stored, console), console)
        {
            return page
        }
        _ = try await console.service.settings.update(
            Group.self, of: console.app.id, ifVersion: form.text(FormView.versionField), by: console.context.key
        ) { $0.replaceSettings(by: next) }
        return .redirect(console.path / path, .saved)
    }
}

/// The lifetimes and bindings of sessions and tokens, and what another policy takes from users.
enum SessionPolicyPage {
    static let page = SettingsGroupPage<SessionPolicy>(
        title: "Sessions", path: "sessions", section: .sessions, confirm: "Save these settings",
        consequences: { next, stored, _ in consequences(of: next, replacing: stored) })

    /// Empty for a policy under which no session ends earlier, and every client can do what it could.
    static func consequences(of next: SessionPolicy, replacing old: SessionPolicy) -> [String] {
        var lost: [String] = []
        if next.deviceKey == .required, old.deviceKey != .required {
            lost.append(
                "Clients without a key, such as browsers that use the cookie alone, can neither sign in nor refresh: "
                    + "their users are signed out when the access token ends, within "
                    + "\(Format.duration(next.accessTokenLifetime)).")
            lost.append("Such a session continues if you set the key back to optional before the session ends.")
        }
        if next.accessTokenBinding == .dpop, old.accessTokenBinding != .dpop {
            lost.append(
                "Every call needs a proof: a client without a key, and a backend that checks no proofs, stop working.")
        }
        if next.idleLifetime < old.idleLifetime {
            lost.append(
                "A session ends when it is unused for \(Format.duration(next.idleLifetime)), not "
                    + "\(Format.duration(old.idleLifetime)). This begins at its next refresh.")
        }
        if next.absoluteLifetime < old.absoluteLifetime {
            lost.append(
                "Sessions that begin from now on end after \(Format.duration(next.absoluteLifetime)), not "
                    + "\(Format.duration(old.absoluteLifetime)).")
        }
        if next.maximumSessions < old.maximumSessions {
            lost.append(
                "At the next login of a user with more than \(Format.count(next.maximumSessions, "session")), those that "
                    + "were unused longest end.")
        }
        return lost
    }
}

/// Which changes of their account users get a notice of.
enum NoticesPage {
    static let page = SettingsGroupPage<NoticeSettings>(
        title: "Notices", path: "notices", section: .logins, parent: ("Logins", "logins"),
        lead:
            "A notice tells a user by e-mail or SMS what has happened to the account. A thief of an account cannot hide "
            + "it.",
        confirm: "Save the notices", consequences: { next, stored, _ in silenced(by: next, replacing: stored) })

    /// What users no longer learn.
    static func silenced(by next: NoticeSettings, replacing old: NoticeSettings) -> [String] {
        let kinds: [(KeyPath<NoticeSettings, Bool>, String)] = [
            (\.passwordChanged, "their password was changed"),
            (\.passkeyAdded, "a passkey was added"),
            (\.passkeyRemoved, "a passkey was removed"),
            (\.identifierAdded, "an e-mail address or a phone number was added"),
            (\.identifierRemoved, "an e-mail address or a phone number was removed"),
            (\.sessionsEnded, "all their sessions were ended"),
            (\.newDevice, "somebody has signed in from a new device"),
        ]
        let lost = kinds.filter { old[keyPath: $0.0] && !next[keyPath: $0.0] }
            .map { "Users are no longer told that " + $0.1 + "." }
        return lost.isEmpty
            ? [] : lost + ["A thief of an account can do this unnoticed. The audit trail still shows it."]
    }
}

/// The page that says what a change of settings does to users, before it is saved. It sends the same fields again.
enum SettingsConfirmation {
    private static let field = "confirmed"

    /// Returns the page, or `nil` if it was confirmed or there is nothing to say.
    ///
    /// - Parameter origin: The page of the form, to which "Cancel" leads. `nil`: the first page of the section.
    static func page(
        _ title: String, _ form: FormBody, to action: ConsolePath, in section: Page.Section,
        from origin: (title: String, path: ConsolePath)? = nil, consequences: [String], _ console: ConsoleAppContext
    ) async throws -> FormOutcome? {
        guard !consequences.isEmpty, !isConfirmed(form) else { return nil }
        let back = origin ?? (section.title, section.path(of: console.app))
        let affected = try await AffectedUsers.all(console)
        return .page(
            Page(title, app: console.app, section: section, parent: (back.title, back.path)) {
                content(
                    title, form, to: action, back: back.path, consequences: [affected] + consequences, console.context)
            })
    }

    /// Whether the form comes from the page that says what it does.
    static func isConfirmed(_ form: FormBody) -> Bool { form.isChecked(field) }

    /// What a change does, and a form that sends its fields again.
    static func content(
        _ title: String, _ form: FormBody, to action: ConsolePath, back: ConsolePath, consequences: [String],
        _ console: ConsoleContext
    ) -> HTML {
        let note = H.p(.class("message warn"), .role("status")) { "Nothing is saved yet." }
        let card = ConfirmPage.content(console, action, consequences: consequences, submit: title, back: back) { view in
            for (name, value) in form.all where name != ConsoleContext.tokenField { view.hidden(name, value) }
            view.hidden(field, "on")
        }
        return HTML(joining: [note, card])
    }
}

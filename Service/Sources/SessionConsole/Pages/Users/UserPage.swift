import Hummingbird
import SessionDomain
import SessionHTTP
import SessionTokens

/// One user: identifiers, status, profile, and the sessions.
enum UserPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/users/:user_id", show)
        routes.appFile("/users/:user_id/export") { visit in
            try .file(of: try await visit.service.exports.user(visit.userID, app: visit.app.id))
        }
        UserChanges.add(to: routes)
        UserConfirmations.add(to: routes)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let user = try await visit.user
        let path = visit.path / "users" / user.id
        let sessions = try await UserSessions(of: user, path: path, visit)
        let limits = try await reachedLimits(of: user, visit)
        var page = Page(
            user.identifiers.first?.value ?? user.id, app: visit.app, section: .users,
            parent: ("Users", visit.path / "users")
        ) {
            H.div(.class("columns")) {
                account(user, path, visit)
                identifiers(user, path, visit)
                ProfileForm.html(user, path, visit)
            }
            if !limits.isEmpty { refused(limits, path, visit) }
            sessions.html()
            if visit.visit.canSupport { password(user, path, visit) }
            H.p { H.a(.href((visit.path / "events").query(["user_id": user.id]))) { "All events of this user" } }
            Show.card("Export") {
                H.p {
                    "A JSON file with everything that is stored about this user, without secrets: account, identifiers, "
                    "profile, sessions, grants, limits and events. The download is an event itself."
                }
                H.div(.class("actions")) { Link.button("Export the user", path / "export") }
            }
        }
        if sessions.problem != nil { page.status = .badRequest }
        return page
    }

    /// The events of limits that refuse calls of the user, or of strangers at an identifier of the user, now.
    private static func reachedLimits(of user: User, _ visit: AppVisit) async throws -> [Event] {
        let query = EventQuery(
            app: visit.app.id, user: user.id, name: .exactly(Event.Name.loginLimited.rawValue), limit: 20)
        let now = visit.service.environment.now().rfc3339
        return try await visit.service.store.events(query)?.filter {
            $0.data["retry_at"]?.stringValue.map { $0 > now } ?? false
        } ?? []
    }

    private static func refused(_ events: [Event], _ path: ConsolePath, _ visit: AppVisit) -> HTML {
        Show.card("Refused now") {
            H.p {
                "These limits are reached. Calls by devices that the user has signed in on are not affected by strangers."
            }
            H.ul(.class("entries")) {
                for event in events {
                    H.li {
                        Show.code(event.data["limit"]?.stringValue ?? "")
                        H.span(.class("hint")) {
                            " until " + (event.data["retry_at"]?.stringValue ?? "")
                            event.data["setting"]?.stringValue.map { ", setting " + $0 } ?? ""
                        }
                    }
                }
            }
        }
    }

    private static func account(_ user: User, _ path: ConsolePath, _ visit: AppVisit) -> HTML {
        Show.card("Account") {
            Show.values([
                "Status": Show.status(user.status), "User id": Show.code(user.id),
                "External id": Show.text(user.externalID), "Created": Show.time(user.createdAt),
                "Changed": Show.time(user.updatedAt), "Language": Show.text(user.locale),
            ])
            if visit.visit.canSupport {
                FormView.form(
                    visit.visit, path / "external-id", for: .support, id: "external", submit: "Save", style: ""
                ) { form in
                    form.text(
                        "external_id", "External id", user.externalID,
                        hint: "The id of the user in your own systems. Empty removes it.")
                }
                H.div(.class("actions")) {
                    for status in User.Status.allCases where status != user.status {
                        Link.button(
                            title(of: status), (path / "status").query(["to": status.rawValue]),
                            status == .suspended ? "small danger" : "small")
                    }
                    if visit.visit.canWrite { Link.button("Delete", path / "delete", "small danger") }
                }
            }
        }
    }

    static func title(of status: User.Status) -> String {
        switch status {
        case .active: "Activate"
        case .inactive: "Deactivate"
        case .suspended: "Suspend"
        }
    }

    private static func identifiers(_ user: User, _ path: ConsolePath, _ visit: AppVisit) -> HTML {
        Show.card("Identifiers") {
            if user.identifiers.isEmpty { H.p(.class("none")) { "The user cannot sign in without an identifier." } }
            H.ul(.class("entries")) {
                for identifier in user.identifiers {
                    H.li {
                        H.bdi { identifier.value }
                        if let held = user.heldUntil[identifier] {
                            H.span(.class("hint")) {
                                " held until "
                                Show.time(held)
                            }
                        }
                        if visit.visit.canSupport {
                            Link.button(
                                "Remove",
                                (path / "identifiers" / "remove").query([
                                    "type": identifier.type.rawValue, "value": identifier.value,
                                ]), "small danger", label: "Remove " + identifier.value)
                        }
                    }
                }
            }
            if visit.visit.canSupport {
                FormView.form(
                    visit.visit, path / "identifiers", for: .support, id: "identifier", submit: "Add the identifier",
                    style: ""
                ) { form in
                    form.text(
                        "identifier", "New e-mail address or phone number", nil,
                        hint: "A phone number begins with + and the country code.")
                }
            }
        }
    }

    private static func password(_ user: User, _ path: ConsolePath, _ visit: AppVisit) -> HTML {
        Show.card("Password and limits") {
            H.p { user.hasPassword ? "The user has a password." : "The user has no password." }
            FormView.form(
                visit.visit, path / "password", for: .support, id: "password", submit: "Set the password", style: ""
            ) { form in
                form.text(
                    "password", "New password", nil, type: "password", autocomplete: "new-password", isRequired: true)
                form.checkbox(
                    "revoke_sessions", "End all sessions of the user", true,
                    hint: "Otherwise they stay. Logins that have begun end in both cases.")
            }
            FormView.form(
                visit.visit, path / "limits", for: .support, id: "limits", submit: "Set the limits back", style: ""
            ) { _ in
                H.p(.class("hint")) {
                    "Opens an identifier that is closed after too many wrong codes or passwords."
                }
            }
        }
    }
}

extension AppVisit {
    /// The user of the path.
    var user: User {
        get async throws { try await service.users.user(visit.parameter("user_id"), app: app.id) }
    }
}

import SessionDomain
import SessionTokens

/// The changes of one user that need no confirmation.
enum UserChanges {
    static func add(to routes: ConsoleRoutes) {
        let user = "/users/:user_id"
        routes.appForm(user + "/external-id", for: .support, on: UserPage.show) { console, form in
            _ = try await console.service.users.setExternalID(
                form.filled("external_id"), user: console.userID, app: console.app.id)
            return console.backToUser(.saved)
        }
        routes.appForm(user + "/identifiers", for: .support, on: UserPage.show, addIdentifier)
        routes.appForm(user + "/profile", for: .support, on: UserPage.show) { console, form in
            let key = try form.required("key")
            let value = try ProfileForm.value(form, replacing: try await console.user.profile[key])
            _ = try await console.service.users.mergeProfile([key: value], user: console.userID, app: console.app.id)
            return console.backToUser(.saved)
        }
        routes.appForm(user + "/password", for: .support, on: UserPage.show) { console, form in
            _ = try await console.service.users.setPassword(
                form.text("password") ?? "", user: console.userID, app: console.app.id,
                ending: form.isChecked("revoke_sessions") ? .all : nil)
            return console.backToUser(.saved)
        }
        routes.appForm(user + "/limits", for: .support, on: UserPage.show) { console, _ in
            _ = try await console.service.users.clearLimits(of: console.userID, app: console.app.id)
            return console.backToUser(.cleared)
        }
    }

    @Sendable private static func addIdentifier(_ console: ConsoleAppContext, _ form: FormBody) async throws
        -> FormOutcome
    {
        let identifier = try CanonicalIdentifier(typed: form.required("identifier"), ofField: "identifier")
        _ = try await console.service.users.addIdentifier(identifier, user: console.userID, app: console.app.id)
        return console.backToUser(.saved)
    }
}

extension ConsoleAppContext {
    /// The id of the user of the path.
    var userID: String { context.parameter("user_id") }

    func backToUser(_ done: Done) -> FormOutcome { .redirect(path / "users" / userID, done) }
}

/// The changes of one user that end sessions or delete something. A page says first what will happen.
enum UserConfirmations {
    static func add(to routes: ConsoleRoutes) {
        let user = "/users/:user_id"
        routes.appPage(user + "/delete", showDeletion)
        routes.appForm(user + "/delete", confirming: ConsoleRoutes.always, on: showDeletion) { console, _ in
            try await console.service.users.delete(console.userID, app: console.app.id)
            return .redirect(console.path / "users", .deleted)
        }
        routes.appPage(user + "/status", showStatus)
        routes.appForm(user + "/status", for: .support, on: showStatus) { console, form in
            let status = try form.choice("status", User.Status.allCases)
            _ = try await console.service.users.setStatus(status, user: console.userID, app: console.app.id)
            return console.backToUser(.saved)
        }
        routes.appPage(user + "/identifiers/remove", showRemoval)
        routes.appForm(user + "/identifiers/remove", for: .support, on: showRemoval) { console, form in
            let removed = try identifier(form)
            guard try await console.user.identifiers.contains(removed) else { throw Self.noIdentifier }
            _ = try await console.service.users.removeIdentifier(removed, user: console.userID, app: console.app.id)
            return console.backToUser(.saved)
        }
        addRevocations(to: routes, user)
    }

    private static func addRevocations(to routes: ConsoleRoutes, _ user: String) {
        let one = user + "/sessions/:session_id/revoke"
        routes.appPage(one, showRevocationOfOne)
        routes.appForm(one, for: .support, on: showRevocationOfOne) { console, _ in
            let revoked = try await console.service.users.endSessions(
                .one(console.parameter("session_id")), of: console.userID, app: console.app.id)
            guard revoked == 1 else { throw Refusal.notFound("the user has no such session") }
            return console.backToUser(.revoked)
        }
        routes.appPage(user + "/sessions/revoke-all", showRevocation)
        routes.appForm(user + "/sessions/revoke-all", for: .support, on: showRevocation) { console, _ in
            _ = try await console.service.users.endSessions(.all, of: console.userID, app: console.app.id)
            return console.backToUser(.revoked)
        }
        let others = user + "/sessions/:session_id/revoke-others"
        routes.appPage(others, showRevocationOfOthers)
        routes.appForm(others, for: .support, on: showRevocationOfOthers) { console, _ in
            _ = try await console.service.users.endSessions(
                .allBut(console.parameter("session_id")), of: console.userID, app: console.app.id)
            return console.backToUser(.revoked)
        }
    }

    @Sendable private static func showDeletion(_ console: ConsoleAppContext) async throws -> Page {
        let (user, sessions) = try await subject(console)
        return page("Delete the user", user, console) { path in
            ConfirmPage.content(
                console.context, path / "delete",
                consequences: [
                    "1 user is deleted: " + name(of: user) + ".",
                    ended(sessions),
                    "The password, the passkeys, the profile and \(Format.count(user.identifiers.count, "identifier")) are deleted.",
                    "A person with the same identifier can sign up again, and is another user then.",
                    "This cannot be undone.",
                ], submit: "Delete the user", back: path)
        }
    }

    @Sendable private static func showStatus(_ console: ConsoleAppContext) async throws -> Page {
        let (user, sessions) = try await subject(console)
        let status = console.context.query.text("to").flatMap { User.Status(rawValue: $0) } ?? .suspended
        let consequences =
            status == .active
            ? ["1 user can sign in again: " + name(of: user) + "."]
            : [
                "1 user can no longer sign in: " + name(of: user) + ".", ended(sessions),
                "Access tokens that were issued stay valid for at most "
                    + Format.duration(console.app.sessions.accessTokenLifetime)
                    + " where a backend checks only the signature.",
                "You can activate the user again.",
            ]
        return page(UserPage.title(of: status) + " the user", user, console) { path in
            ConfirmPage.content(
                console.context, path / "status", for: .support, consequences: consequences,
                submit: UserPage.title(of: status) + " the user", back: path
            ) { form in form.hidden("status", status.rawValue) }
        }
    }

    private static let noIdentifier = Refusal.notFound("the user has no such identifier")

    private static func identifier(_ form: FormBody) throws -> CanonicalIdentifier {
        try CanonicalIdentifier(type: form.text("type") ?? "", value: form.text("value") ?? "", isSearched: true)
    }

    @Sendable private static func showRemoval(_ console: ConsoleAppContext) async throws -> Page {
        let (user, sessions) = try await subject(console)
        let removed = try identifier(console.context.problem?.entered ?? console.context.query)
        guard let stored = user.identifiers.first(where: { $0 == removed }) else {
            throw noIdentifier
        }
        let others = user.identifiers.filter { $0 != removed }.map(\.value)
        return page("Remove the identifier", user, console) { path in
            ConfirmPage.content(
                console.context, path / "identifiers" / "remove", for: .support,
                consequences: [
                    "\(stored.value) is removed from 1 user. Another user can then have it.",
                    !others.isEmpty
                        ? "The user still signs in with \(others.joined(separator: ", "))."
                        : user.hasPasskey && console.app.acceptsPasskeys
                            ? "It is the last identifier: the user signs in with a passkey only."
                            : "It is the last identifier: the user cannot sign in any more until you add another one.",
                    kept(sessions, "active session"), "Logins and step-ups that have begun are invalid.",
                ], submit: "Remove the identifier", back: path
            ) { form in
                form.hidden("type", stored.type.rawValue)
                form.hidden("value", stored.value)
            }
        }
    }

    @Sendable private static func showRevocationOfOne(_ console: ConsoleAppContext) async throws -> Page {
        let (user, sessions) = try await subject(console)
        let ended = try await console.service.users.session(
            console.parameter("session_id"), of: user.id, app: console.app.id)
        return page("Revoke the session", user, console) { path in
            ConfirmPage.content(
                console.context, path / "sessions" / ended.id / "revoke", for: .support,
                consequences: [
                    "1 user is signed out on this device: " + SessionTable.name(of: ended.device) + ".",
                    "The session that began at \(Format.text(of: ended.createdAt)) ends at once.",
                    kept(sessions - 1, "other active session"), "The user can sign in again.",
                ], submit: "Revoke the session", back: path)
        }
    }

    @Sendable private static func showRevocation(_ console: ConsoleAppContext) async throws -> Page {
        let (user, sessions) = try await subject(console)
        return page("Revoke all sessions", user, console) { path in
            ConfirmPage.content(
                console.context, path / "sessions" / "revoke-all", for: .support,
                consequences: [
                    "1 user is signed out everywhere: " + name(of: user) + ".", ended(sessions),
                    "Logins that have begun are invalid.", "The user can sign in again.",
                ], submit: "Revoke all sessions", back: path)
        }
    }

    @Sendable private static func showRevocationOfOthers(_ console: ConsoleAppContext) async throws -> Page {
        let (user, sessions) = try await subject(console)
        let kept = try await console.service.users.session(
            console.parameter("session_id"), of: user.id, app: console.app.id)
        return page("Revoke other sessions", user, console) { path in
            ConfirmPage.content(
                console.context, path / "sessions" / kept.id / "revoke-others", for: .support,
                consequences: [
                    "1 user is signed out on all other devices: " + name(of: user) + ".",
                    ended(max(0, sessions - 1), "other active session"),
                    "The session that began at \(Format.text(of: kept.createdAt)) stays, on this device: "
                        + SessionTable.name(of: kept.device) + ".",
                    "Logins that have begun are invalid.", "The user can sign in again.",
                ], submit: "Revoke other sessions", back: path)
        }
    }

    private static func subject(_ console: ConsoleAppContext) async throws -> (User, sessions: Int) {
        let user = try await console.user
        let total = try await console.service.users.sessions(of: user.id, app: console.app.id, limit: 1).total ?? 0
        return (user, total)
    }

    private static func ended(_ sessions: Int, _ noun: String = "active session") -> String {
        sessions == 0
            ? "The user has no \(noun)." : "\(Format.count(sessions, noun)) \(sessions == 1 ? "ends" : "end") at once."
    }

    private static func kept(_ sessions: Int, _ noun: String) -> String {
        sessions < 1
            ? "The user has no \(noun)." : "\(Format.count(sessions, noun)) \(sessions == 1 ? "stays" : "stay")."
    }

    private static func name(of user: User) -> String { user.identifiers.first?.value ?? user.id }

    private static func page(
        _ title: String, _ user: User, _ console: ConsoleAppContext, content: (ConsolePath) -> HTML
    ) -> Page {
        let path = console.path / "users" / user.id
        return Page(title, app: console.app, section: .users, parent: (name(of: user), path)) { content(path) }
    }
}

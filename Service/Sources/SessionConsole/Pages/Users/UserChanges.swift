import SessionDomain
import SessionTokens

/// The changes of one user that need no confirmation.
enum UserChanges {
    static func add(to routes: ConsoleRoutes) {
        let user = "/users/:user_id"
        routes.appForm(user + "/external-id", for: .support, on: UserPage.show) { visit, form in
            _ = try await visit.service.users.setExternalID(
                form.filled("external_id"), user: visit.userID, app: visit.app.id)
            return visit.backToUser(.saved)
        }
        routes.appForm(user + "/identifiers", for: .support, on: UserPage.show, addIdentifier)
        routes.appForm(user + "/profile", for: .support, on: UserPage.show) { visit, form in
            let key = try form.required("key")
            let value = try ProfileForm.value(form, replacing: try await visit.user.profile[key])
            _ = try await visit.service.users.mergeProfile([key: value], user: visit.userID, app: visit.app.id)
            return visit.backToUser(.saved)
        }
        routes.appForm(user + "/password", for: .support, on: UserPage.show) { visit, form in
            _ = try await visit.service.users.setPassword(
                form.text("password") ?? "", user: visit.userID, app: visit.app.id,
                ending: form.isChecked("revoke_sessions") ? .all : nil)
            return visit.backToUser(.saved)
        }
        routes.appForm(user + "/limits", for: .support, on: UserPage.show) { visit, _ in
            _ = try await visit.service.users.clearLimits(of: visit.userID, app: visit.app.id)
            return visit.backToUser(.cleared)
        }
    }

    @Sendable private static func addIdentifier(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        let identifier = try CanonicalIdentifier(typed: form.required("identifier"), ofField: "identifier")
        _ = try await visit.service.users.addIdentifier(identifier, user: visit.userID, app: visit.app.id)
        return visit.backToUser(.saved)
    }
}

extension AppVisit {
    /// The id of the user of the path.
    var userID: String { visit.parameter("user_id") }

    func backToUser(_ done: Done) -> FormOutcome { .redirect(path / "users" / userID, done) }
}

/// The changes of one user that end sessions or delete something. A page says first what will happen.
enum UserConfirmations {
    static func add(to routes: ConsoleRoutes) {
        let user = "/users/:user_id"
        routes.appPage(user + "/delete", showDeletion)
        routes.appForm(user + "/delete", confirming: ConsoleRoutes.always, on: showDeletion) { visit, _ in
            try await visit.service.users.delete(visit.userID, app: visit.app.id)
            return .redirect(visit.path / "users", .deleted)
        }
        routes.appPage(user + "/status", showStatus)
        routes.appForm(user + "/status", for: .support, on: showStatus) { visit, form in
            let status = try form.choice("status", User.Status.allCases)
            _ = try await visit.service.users.setStatus(status, user: visit.userID, app: visit.app.id)
            return visit.backToUser(.saved)
        }
        routes.appPage(user + "/identifiers/remove", showRemoval)
        routes.appForm(user + "/identifiers/remove", for: .support, on: showRemoval) { visit, form in
            let removed = try identifier(form)
            guard try await visit.user.identifiers.contains(removed) else { throw Self.noIdentifier }
            _ = try await visit.service.users.removeIdentifier(removed, user: visit.userID, app: visit.app.id)
            return visit.backToUser(.saved)
        }
        addRevocations(to: routes, user)
    }

    private static func addRevocations(to routes: ConsoleRoutes, _ user: String) {
        let one = user + "/sessions/:session_id/revoke"
        routes.appPage(one, showRevocationOfOne)
        routes.appForm(one, for: .support, on: showRevocationOfOne) { visit, _ in
            let revoked = try await visit.service.users.endSessions(
                .one(visit.parameter("session_id")), of: visit.userID, app: visit.app.id)
            guard revoked == 1 else { throw Refusal.notFound("the user has no such session") }
            return visit.backToUser(.revoked)
        }
        routes.appPage(user + "/sessions/revoke-all", showRevocation)
        routes.appForm(user + "/sessions/revoke-all", for: .support, on: showRevocation) { visit, _ in
            _ = try await visit.service.users.endSessions(.all, of: visit.userID, app: visit.app.id)
            return visit.backToUser(.revoked)
        }
        let others = user + "/sessions/:session_id/revoke-others"
        routes.appPage(others, showRevocationOfOthers)
        routes.appForm(others, for: .support, on: showRevocationOfOthers) { visit, _ in
            _ = try await visit.service.users.endSessions(
                .allBut(visit.parameter("session_id")), of: visit.userID, app: visit.app.id)
            return visit.backToUser(.revoked)
        }
    }

    @Sendable private static func showDeletion(_ visit: AppVisit) async throws -> Page {
        let (user, sessions) = try await subject(visit)
        return page("Delete the user", user, visit) { path in
            ConfirmPage.content(
                visit.visit, path / "delete",
                consequences: [
                    "1 user is deleted: " + name(of: user) + ".",
                    ended(sessions),
                    "The password, the profile and \(Show.count(user.identifiers.count, "identifier")) are deleted.",
                    "A person with the same identifier can sign up again, and is another user then.",
                    "This cannot be undone.",
                ], submit: "Delete the user", back: path)
        }
    }

    @Sendable private static func showStatus(_ visit: AppVisit) async throws -> Page {
        let (user, sessions) = try await subject(visit)
        let status = visit.visit.query.text("to").flatMap { User.Status(rawValue: $0) } ?? .suspended
        let consequences =
            status == .active
            ? ["1 user can sign in again: " + name(of: user) + "."]
            : [
                "1 user can no longer sign in: " + name(of: user) + ".", ended(sessions),
                "Access tokens that were issued stay valid for at most "
                    + Show.duration(visit.app.sessions.accessTokenLifetime)
                    + " where a backend checks only the signature.",
                "You can activate the user again.",
            ]
        return page(UserPage.title(of: status) + " the user", user, visit) { path in
            ConfirmPage.content(
                visit.visit, path / "status", for: .support, consequences: consequences,
                submit: UserPage.title(of: status) + " the user", back: path
            ) { form in form.hidden("status", status.rawValue) }
        }
    }

    private static let noIdentifier = Refusal.notFound("the user has no such identifier")

    private static func identifier(_ form: FormBody) throws -> CanonicalIdentifier {
        try CanonicalIdentifier(type: form.text("type") ?? "", value: form.text("value") ?? "", isSearched: true)
    }

    @Sendable private static func showRemoval(_ visit: AppVisit) async throws -> Page {
        let (user, sessions) = try await subject(visit)
        let removed = try identifier(visit.visit.problem?.entered ?? visit.visit.query)
        guard let stored = user.identifiers.first(where: { $0 == removed }) else {
            throw noIdentifier
        }
        let others = user.identifiers.filter { $0 != removed }.map(\.value)
        return page("Remove the identifier", user, visit) { path in
            ConfirmPage.content(
                visit.visit, path / "identifiers" / "remove", for: .support,
                consequences: [
                    "\(stored.value) is removed from 1 user. Another user can then have it.",
                    others.isEmpty
                        ? "It is the last identifier: the user cannot sign in any more until you add another one."
                        : "The user still signs in with \(others.joined(separator: ", ")).",
                    kept(sessions, "active session"), "Logins and step-ups that have begun are invalid.",
                ], submit: "Remove the identifier", back: path
            ) { form in
                form.hidden("type", stored.type.rawValue)
                form.hidden("value", stored.value)
            }
        }
    }

    @Sendable private static func showRevocationOfOne(_ visit: AppVisit) async throws -> Page {
        let (user, sessions) = try await subject(visit)
        let ended = try await visit.service.users.session(visit.parameter("session_id"), of: user.id, app: visit.app.id)
        return page("Revoke the session", user, visit) { path in
            ConfirmPage.content(
                visit.visit, path / "sessions" / ended.id / "revoke", for: .support,
                consequences: [
                    "1 user is signed out on this device: " + SessionTable.name(of: ended.device) + ".",
                    "The session that began at \(Show.text(of: ended.createdAt)) ends at once.",
                    kept(sessions - 1, "other active session"), "The user can sign in again.",
                ], submit: "Revoke the session", back: path)
        }
    }

    @Sendable private static func showRevocation(_ visit: AppVisit) async throws -> Page {
        let (user, sessions) = try await subject(visit)
        return page("Revoke all sessions", user, visit) { path in
            ConfirmPage.content(
                visit.visit, path / "sessions" / "revoke-all", for: .support,
                consequences: [
                    "1 user is signed out everywhere: " + name(of: user) + ".", ended(sessions),
                    "Logins that have begun are invalid.", "The user can sign in again.",
                ], submit: "Revoke all sessions", back: path)
        }
    }

    @Sendable private static func showRevocationOfOthers(_ visit: AppVisit) async throws -> Page {
        let (user, sessions) = try await subject(visit)
        let kept = try await visit.service.users.session(visit.parameter("session_id"), of: user.id, app: visit.app.id)
        return page("Revoke other sessions", user, visit) { path in
            ConfirmPage.content(
                visit.visit, path / "sessions" / kept.id / "revoke-others", for: .support,
                consequences: [
                    "1 user is signed out on all other devices: " + name(of: user) + ".",
                    ended(max(0, sessions - 1), "other active session"),
                    "The session that began at \(Show.text(of: kept.createdAt)) stays, on this device: "
                        + SessionTable.name(of: kept.device) + ".",
                    "Logins that have begun are invalid.", "The user can sign in again.",
                ], submit: "Revoke other sessions", back: path)
        }
    }

    private static func subject(_ visit: AppVisit) async throws -> (User, sessions: Int) {
        let user = try await visit.user
        let total = try await visit.service.users.sessions(of: user.id, app: visit.app.id, limit: 1).total ?? 0
        return (user, total)
    }

    private static func ended(_ sessions: Int, _ noun: String = "active session") -> String {
        sessions == 0
            ? "The user has no \(noun)." : "\(Show.count(sessions, noun)) \(sessions == 1 ? "ends" : "end") at once."
    }

    private static func kept(_ sessions: Int, _ noun: String) -> String {
        sessions < 1
            ? "The user has no \(noun)." : "\(Show.count(sessions, noun)) \(sessions == 1 ? "stays" : "stay")."
    }

    private static func name(of user: User) -> String { user.identifiers.first?.value ?? user.id }

    private static func page(
        _ title: String, _ user: User, _ visit: AppVisit, content: (ConsolePath) -> HTML
    ) -> Page {
        let path = visit.path / "users" / user.id
        return Page(title, app: visit.app, section: .users, parent: (name(of: user), path)) { content(path) }
    }
}

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
        let value = try form.required("identifier")
        let type: IdentifierType = value.contains("@") ? .emailAddress : .phoneNumber
        _ = try await visit.service.users.addIdentifier(
            CanonicalIdentifier(type: type.rawValue, value: value), user: visit.userID, app: visit.app.id)
        return visit.backToUser(.saved)
    }
}

extension AppVisit {
    /// The id of the user of the path.
    var userID: String { visit.parameter("user_id") }

    func backToUser(_ done: Done) -> FormOutcome { .redirect(path / "users" / userID, done) }
}

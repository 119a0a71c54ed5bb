import Hummingbird
import SessionDomain

/// Apps and their settings in the management API.
struct AppRoutes: Sendable {
    let apps: AppManagement

    @Sendable func list(_ request: Request, context: AllAppsContext) async throws -> Response {
        try .json(AppListBody(apps: try await apps.apps().map(AppBody.init)))
    }

    @Sendable func create(_ request: Request, context: AllAppsContext) async throws -> Response {
        let change = try await request.decodeExactly(AppChangeBody.self)
        guard let name = change.name else { throw Refusal.invalidField("name", "is required") }
        let id = try change.id.map { text in
            guard let id = AppID(text) else {
                throw Refusal.invalidField("id", "must be 7 lower-case letters or digits")
            }
            return id
        }
        let settings = try change.settings()
        let app = try await apps.create(id: id, name: name) { try settings.apply(to: &$0) }
        return try .json(AppBody(app: app), status: .created)
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(AppBody(app: try await apps.app(context.appID)))
    }

    /// Changes the members that the body names.
    @Sendable func update(_ request: Request, context: OperatorContext) async throws -> Response {
        let settings = try await request.decodeExactly(AppChangeBody.self).settings()
        return try .json(
            AppBody(app: try await apps.change(settings, of: context.appID, by: context.managementKey)))
    }
}

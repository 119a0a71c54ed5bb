import Hummingbird
import SessionDomain

/// Requires a management key that is valid for the app in the path, or for all apps if the path names none.
///
/// A wrong key and an unknown app get the same error, so that a key does not reveal which apps exist.
struct ManagementKeyMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let keys: ManagementKeys
    let apps: AppManagement

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let secret = request.bearerToken, let key = try await keys.key(secret) else {
            throw Refusal.unauthorized
        }
        let named = context.parameters.get("app_id")
        guard key.appID == nil || (named != nil && key.appID?.rawValue == named) else { throw Refusal.unauthorized }
        if let named {
            // The app must exist. Otherwise a later app with this id would inherit what is created here.
            guard let id = AppID(named) else { throw Refusal.notFound("there is no such app") }
            _ = try await apps.app(id)
        }
        var context = context
        context.results.managementKey = key
        let events = EventContext.current.acting(as: .init(.managementKey, id: key.id, name: key.name))
        let authenticated = context
        return try await EventContext.$current.withValue(events) { try await next(request, authenticated) }
    }
}

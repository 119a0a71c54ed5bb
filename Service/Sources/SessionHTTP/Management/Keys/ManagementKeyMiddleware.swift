import Hummingbird
import SessionDomain

/// Requires a management key that is valid for the app in the path, or for all apps if the path names none.
///
/// A wrong key and an unknown app get the same error, so that a key does not reveal which apps exist. A key with the role
/// `read` may only read.
struct ManagementKeyMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let keys: ManagementKeys
    let apps: AppManagement
    let edge: EdgeOptions

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let named = context.parameters.get("app_id")
        let source = SourceAddress(headers: request.headers, peerAddress: context.peerAddress, options: edge)
        let key = try await keys.authenticate(request.bearerToken, app: named, source: source)
        if let named {
            // The app must exist. Otherwise a later app with this id would inherit what is created here.
            guard let id = AppID(named) else { throw Refusal.notFound("there is no such app") }
            _ = try await apps.app(id)
            RequestTrail.current?.note(app: id)
        }
        guard key.role == .write || request.method == .get || request.method == .head else {
            throw Refusal.forbidden("the management key has the role read; this call needs the role write")
        }
        var context = context
        context.results.managementKey = key
        let events = EventContext.current.acting(as: key.actor)
        let authenticated = context
        return try await EventContext.$current.withValue(events) { try await next(request, authenticated) }
    }
}

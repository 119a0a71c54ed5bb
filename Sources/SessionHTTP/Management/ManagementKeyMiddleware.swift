import Hummingbird
import SessionDomain
import SessionWire

/// Lets in whoever has a management key that is good for the app in the path, or for all apps where the path names none.
///
/// The refusal is the same for a wrong key and for an app that does not exist: keys are not for looking around.
struct ManagementKeyMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let keys: ManagementKeys
    let apps: AppManagement

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        guard let secret = request.bearerToken, let key = try await keys.key(secret) else {
            throw Refusal.unauthorized
        }
        let named = context.parameters.get("app_id")
        guard key.appID == nil || (named != nil && key.appID?.rawValue == named) else { throw Refusal.unauthorized }
        if let named {
            // Nothing is made for an app that is not there, for whoever makes one of this id later.
            guard let id = AppID(named) else { throw Refusal.notFound("there is no such app") }
            _ = try await apps.app(id)
        }
        var context = context
        context.isForAllApps = key.appID == nil
        return try await next(request, context)
    }
}

import Hummingbird
import SessionDomain
import SessionWire

/// Lets in whoever has a management key that is good for the app in the path, or for all apps where the path names none.
///
/// The refusal is the same for a wrong key and for an app that does not exist: keys are not for looking around.
struct OperatorMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let keys: ManagementKeys

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        guard let secret = request.bearerToken else { throw Refusal.unauthorized }
        let isGood =
            if let text = context.parameters.get("app_id") {
                if let app = AppID(text) { try await keys.isGood(secret, for: app) } else { false }
            } else {
                try await keys.isGoodForAll(secret)
            }
        guard isGood else { throw Refusal.unauthorized }
        return try await next(request, context)
    }
}

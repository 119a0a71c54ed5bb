import Hummingbird
import SessionDomain
import SessionWire

/// Lets in whoever has a management key that is good for the app in the path.
///
/// The refusal is the same for a wrong key and for an app that does not exist: keys are not for looking around.
struct OperatorMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let keys: ManagementKeys

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        guard let secret = request.bearerToken, let app = context.parameters.get("app_id").flatMap({ AppID($0) }),
            try await keys.isGood(secret, for: app)
        else { throw Refusal.unauthorized }
        return try await next(request, context)
    }
}

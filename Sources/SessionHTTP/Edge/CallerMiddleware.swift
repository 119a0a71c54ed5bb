import Hummingbird
import SessionDomain

/// Lets in whoever has a good access token of a live session.
struct CallerMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let signedIn: SignedInCalls

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        guard let app = context.app else { throw Refusal.notFound("no app is served under this host") }
        var context = context
        context.caller = try await signedIn.authenticate(
            app: app, accessToken: request.bearerToken, proof: context.proof)
        return try await next(request, context)
    }
}

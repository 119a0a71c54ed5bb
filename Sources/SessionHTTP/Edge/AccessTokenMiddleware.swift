import Hummingbird
import SessionDomain
import SessionWire

/// Lets in whoever has a good access token of a live session.
struct AccessTokenMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    let authenticator: AccessTokenAuthenticator

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        guard let app = context.app else { throw Refusal.notFound("no app is served under this host") }
        var context = context
        let caller = try await authenticator.authenticate(
            app: app, presented: request.presentedToken, proof: context.proof)
        context.caller = caller
        var response = try await next(request, context)
        if let nonce = caller.nextNonce { response.headers.set(HeaderName.dpopNonce, to: nonce) }
        return response
    }
}

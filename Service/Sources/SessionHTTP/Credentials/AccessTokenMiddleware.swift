import Hummingbird
import SessionDomain
import SessionWire

/// Requires a valid access token of a live session.
struct AccessTokenMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let authenticator: AccessTokenAuthenticator

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let app = try context.app
        let caller = try await authenticator.authenticate(
            app: app, presented: request.presentedToken, proof: context.proof)
        context.results.caller = caller
        var response = try await next(request, context)
        if let nonce = caller.nextNonce { response.headers.set(.dpopNonce, to: nonce) }
        return response
    }
}

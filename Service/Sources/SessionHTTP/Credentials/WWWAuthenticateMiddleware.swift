import HTTPTypes
import Hummingbird
import SessionDomain

/// Adds `WWW-Authenticate` to error responses of calls that need an access token (RFC 9110 §11.6.1).
struct WWWAuthenticateMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let binding = try context.app.settings.sessions.accessTokenBinding
        do {
            return try await next(request, context)
        } catch {
            var response = try ErrorResponse.make(for: error, request: request, context: context)
            let challenge = AuthenticateChallenge(
                binding: binding, presented: request.presentedToken?.scheme, refusal: WireRefusal(error))
            if let challenge { response.headers[.wwwAuthenticate] = challenge.text }
            return response
        }
    }
}

import HTTPTypes
import Hummingbird
import SessionDomain
import SessionWire

/// What browsers need (Fetch, "CORS protocol"), and what keeps other sites out: cookies make a request look like the
/// user's, so a page may only call when the app lists its origin.
struct OriginMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        guard context.client.isBrowser, let app = context.app else { return try await next(request, context) }
        guard let origin = request.headers.first("origin") else {
            let site = request.headers.first("sec-fetch-site")
            guard request.method == .get || site == "same-origin" || site == "none" else {
                throw Refusal.forbidden("a page of another site may not call without its Origin")
            }
            return try await next(request, context)
        }
        guard app.settings.allowedOrigins.contains(origin) || app.origins.origins(of: app.settings).contains(origin)
        else {
            throw Refusal.forbidden("this Origin is not among the allowed origins of the app")
        }
        var response: Response
        if request.method == .options {
            response = Response(status: .noContent)
            response.headers.set("access-control-allow-methods", to: "GET, POST")
            response.headers.set(
                "access-control-allow-headers",
                to: "Authorization, Content-Type, DPoP, X-Device-Id, X-Verification-Token")
            response.headers.set("access-control-max-age", to: "600")
        } else {
            // A refusal is an answer too: without these headers a page would see a network error and nothing else.
            do {
                response = try await next(request, context)
            } catch {
                response = try ErrorAnswer.make(for: error, request: request, context: context)
            }
        }
        response.headers.set("access-control-allow-origin", to: origin)
        response.headers.set("access-control-allow-credentials", to: "true")
        response.headers.set(
            "access-control-expose-headers",
            to: "DPoP-Nonce, Retry-After, WWW-Authenticate, X-Request-Id, X-Verification-Token")
        response.headers.add("vary", "Origin")
        return response
    }
}

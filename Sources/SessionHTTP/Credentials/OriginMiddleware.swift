import HTTPTypes
import Hummingbird
import SessionDomain

/// Rejects requests of pages that `OriginRules` does not allow, answers preflight requests, and adds the CORS headers
/// (Fetch, "CORS protocol").
@available(service, *)
struct OriginMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        guard try context.client.isBrowser else { return try await next(request, context) }
        let origin = request.headers.first("origin")
        try OriginRules(app: try context.app)
            .check(method: request.method, origin: origin, site: request.headers.first("sec-fetch-site"))
        guard let origin else { return try await next(request, context) }
        var response: Response
        if request.method == .options {
            response = Self.preflightResponse
        } else {
            // An error response needs the headers, too. Without them a page sees a network error only.
            do {
                response = try await next(request, context)
            } catch {
                response = try ErrorResponse.make(for: error, request: request, context: context)
            }
        }
        response.headers.set("Access-Control-Allow-Origin", to: origin)
        response.headers.set("Access-Control-Allow-Credentials", to: "true")
        response.headers.set(
            "Access-Control-Expose-Headers",
            to: "DPoP-Nonce, Retry-After, WWW-Authenticate, X-Request-Id, X-Trusted-Device, X-Verification-Token")
        response.headers.add("Vary", "Origin")
        return response
    }

    private static var preflightResponse: Response {
        var response = Response(status: .noContent)
        response.headers.set("Access-Control-Allow-Methods", to: "GET, POST")
        response.headers.set(
            "Access-Control-Allow-Headers",
            to: "Authorization, Content-Type, DPoP, X-Device-Id, X-Trusted-Device, X-Verification-Token")
        response.headers.set("Access-Control-Max-Age", to: "600")
        return response
    }
}

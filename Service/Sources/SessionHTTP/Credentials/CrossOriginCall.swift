import HTTPTypes
import Hummingbird
import SessionDomain

/// Responds to a request of a browser: rejects what `OriginRules` does not allow, answers preflight requests, and adds the CORS
/// headers (Fetch, "CORS protocol").
struct CrossOriginCall {
    let request: Request
    let app: AppRuntime

    /// - Parameter next: The route of the request. It is not called for a preflight request.
    func respond(
        _ context: ServiceRequestContext, _ next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let origin = request.headers.first(.origin)
        try OriginRules(app: app).check(
            method: request.method, origin: origin, site: request.headers.first(.secFetchSite))
        guard let origin else { return try await next(request, context) }
        guard request.method != .options else { return Self.readable(Self.preflightResponse, by: origin) }
        // An error response needs the headers, too. Without them a page sees a network error only.
        do {
            return Self.readable(try await next(request, context), by: origin)
        } catch {
            return Self.readable(
                try ErrorResponse.make(for: error, request: request, context: context), by: origin)
        }
    }

    /// Adds the CORS headers to the response to a request that was rejected before its route. A preflight request is answered, so
    /// that the page learns why the request itself is rejected.
    func respond(rejecting response: Response) -> Response {
        guard let origin = request.headers.first(.origin), OriginRules(app: app).allowed.contains(origin) else {
            return response
        }
        return Self.readable(request.method == .options ? Self.preflightResponse : response, by: origin)
    }

    private static func readable(_ response: Response, by origin: String) -> Response {
        var response = response
        response.headers.set(.accessControlAllowOrigin, to: origin)
        response.headers.set(.accessControlAllowCredentials, to: "true")
        response.headers.set(
            .accessControlExposeHeaders,
            to: "Date, DPoP-Nonce, Retry-After, WWW-Authenticate, X-Request-Id, X-Trusted-Device, X-Verification-Token")
        response.headers.set(.vary, to: "Origin")
        return response
    }

    private static var preflightResponse: Response {
        var response = Response(status: .noContent)
        response.headers.set(.accessControlAllowMethods, to: "GET, POST")
        response.headers.set(
            .accessControlAllowHeaders,
            to: "Authorization, Content-Type, DPoP, User-Agent, X-Device-Id, X-Trusted-Device, X-Verification-Token")
        response.headers.set(.accessControlMaxAge, to: "600")
        return response
    }
}

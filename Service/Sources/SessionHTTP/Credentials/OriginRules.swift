import HTTPTypes
import Hummingbird
import SessionDomain

/// Decides which requests of browsers are accepted.
///
/// A browser adds the user's cookies to requests of any site, so only pages of listed origins may call.
struct OriginRules {
    /// The app's own origins and those that its operator allows, such as `https://app.example.com`.
    let allowed: [String]

    init(allowed: [String]) { self.allowed = allowed }

    init(app: AppRuntime) {
        self.init(allowed: app.settings.allowedOrigins + app.origins.origins(of: app.settings))
    }

    /// Checks the request of a browser.
    ///
    /// - Parameters:
    ///   - origin: The value of `Origin`. Browsers omit it in GET and HEAD requests to the same origin.
    ///   - site: The value of `Sec-Fetch-Site`. It decides if there is no `Origin`.
    /// - Throws: `Refusal.forbidden`.
    func check(method: HTTPRequest.Method, origin: String?, site: String?) throws(Refusal) {
        if let origin {
            guard allowed.contains(origin) else {
                throw .forbidden("Origin is not one of the app's allowed origins")
            }
        } else {
            guard method == .get || method == .head || site == "same-origin" || site == "none" else {
                throw .forbidden("a request of another site must have an Origin header")
            }
        }
    }
}

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
        response.headers.set(.accessControlAllowMethods, to: "GET, POST, PATCH, DELETE")
        response.headers.set(
            .accessControlAllowHeaders,
            to: "Authorization, Content-Type, DPoP, User-Agent, X-Device-Id, X-Trusted-Device, X-Verification-Token")
        response.headers.set(.accessControlMaxAge, to: "600")
        return response
    }
}

import HTTPTypes
import Hummingbird
import SessionDomain

/// Completes every response.
///
/// - An error of a route or of a later middleware becomes a response, so that no request stays without one.
/// - `Date`, `X-Content-Type-Options`, and `Cache-Control` where a route sets none. Responses contain tokens and personal
///   data, so the default is `no-store`.
/// - A response to a HEAD request has no body, also that of an error (RFC 9110 §9.3.2). The client reads none, so it would
///   take one for the start of the next response.
@available(service, *)
struct ResponseMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let environment: ServiceEnvironment
    let dates = LatestDate()

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = try ErrorResponse.make(for: error, request: request, context: context)
        }
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        response.headers.set(.date, to: dates.text(of: environment.now()))
        response.headers.set(.xContentTypeOptions, to: "nosniff")
        return request.method == .head ? response.createHeadResponse() : response
    }
}

import HTTPTypes
import Hummingbird
import SessionDomain

/// Adds the headers of every response: `Date`, `X-Content-Type-Options`, and `Cache-Control` where a route sets none.
///
/// Responses contain tokens and personal data, so the default is `no-store`.
@available(service, *)
struct ResponseHeadersMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let environment: ServiceEnvironment

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        response.headers.set(.date, to: HTTPDate.format(environment.now()))
        response.headers.set(.xContentTypeOptions, to: "nosniff")
        return response
    }
}

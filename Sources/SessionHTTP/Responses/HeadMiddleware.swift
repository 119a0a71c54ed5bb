import Hummingbird

/// Removes the body of every response to a HEAD request, also of an error (RFC 9110 §9.3.2).
///
/// The client reads no body, so it would take one for the start of the next response.
struct HeadMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        return request.method == .head ? response.createHeadResponse() : response
    }
}

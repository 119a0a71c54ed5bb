import Hummingbird

/// Answers every error that a route or a later middleware throws, so that no request stays without a response.
@available(service, *)
struct ErrorResponseMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return try ErrorResponse.make(for: error, request: request, context: context)
        }
    }
}

import Hummingbird
import SessionDomain

/// Answers every error that a route or a later middleware throws, so that no request stays without a response.
@available(service, *)
struct ErrorResponseMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let observer: any ServiceObserver

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            if let refusal = error as? Refusal { observer.observe(.refused(RefusalReason(refusal))) }
            return try ErrorResponse.make(for: error, request: request, context: context)
        }
    }
}

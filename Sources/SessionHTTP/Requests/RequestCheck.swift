import Hummingbird

/// A check of every request, which needs nothing of its handling but the context.
@available(service, *)
protocol RequestCheck: Sendable {
    func check(_ request: Request, _ context: ServiceRequestContext) throws
}

/// Runs the checks of every request, in order. Each middleware copies the request and its context, which costs more than all of
/// these checks.
@available(service, *)
struct ChecksMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let checks: [any RequestCheck]

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        for check in checks { try check.check(request, context) }
        return try await next(request, context)
    }
}

import HTTPTypes
import Hummingbird

/// Applies the rules of origins to paths that no route has: pages can read the 404 of such a path, and its preflight
/// request is answered. Routes apply the same rules themselves.
///
/// The management API has no CORS headers, so its unknown paths get none.
@available(service, *)
struct UnknownPathMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let client: ClientMiddleware
    private let origins = OriginMiddleware()

    init(client: ClientMiddleware) { self.client = client }

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let isUnknown = AccessLogMiddleware.route(of: context) == AccessLogMiddleware.unmatched
        guard isUnknown, request.headers.contains(.origin), !request.uri.path.hasPrefix("/v2/") else {
            return try await next(request, context)
        }
        return try await client.handle(request, context: context) { request, context in
            try await origins.handle(request, context: context, next: next)
        }
    }
}

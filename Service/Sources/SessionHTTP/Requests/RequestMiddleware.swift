import Hummingbird
import Logging
import SessionDomain

/// What happens around every request, in this order: it gets an id, its trace and its line in the log begin, it is checked, and
/// its response is completed. An error of a check or of a route becomes a response, so that no request stays without one.
///
/// This is one middleware, because Hummingbird runs each one in five asynchronous functions (`docs/hot-path.md`).
struct RequestMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    private let environment: ServiceEnvironment
    private let accessLog: AccessLog
    private let traces: RequestTraces?
    private let completion: ResponseCompletion
    private let checks: [any RequestCheck]
    private let pages: ClientMiddleware?

    /// - Parameters:
    ///   - checks: Run in this order.
    ///   - pages: Applied to requests that no route of an app sees, because the path is unknown or a check fails. So pages can
    ///     read the error, and the preflight request is answered. Not to those of the management API, which has no CORS headers.
    init(
        environment: ServiceEnvironment, edge: EdgeOptions, checks: [any RequestCheck] = [],
        pages: ClientMiddleware? = nil
    ) {
        let observer = environment.observer
        self.environment = environment
        accessLog = AccessLog(options: edge, observer: observer)
        traces = observer.tracer == nil ? nil : RequestTraces(options: edge, observer: observer)
        completion = ResponseCompletion(environment: environment)
        self.checks = checks
        self.pages = pages
    }

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let (id, trail) = (environment.newID("req"), RequestTrail())
        let startedAt = environment.observer.instant()
        var context = context
        context.requestID = id
        context.logger[metadataKey: "request_id"] = .string(id)
        let identified = context
        let response = try await RequestTrail.$current.withValue(trail) {
            guard let traces else { return try await respond(to: request, identified, next) }
            return try await traces.trace(request, identified) { try await respond(to: request, $0, next) }
        }
        accessLog.note(
            request, response, context, seconds: environment.observer.seconds(since: startedAt), trail.current)
        return completion.complete(response, to: request, requestID: id)
    }

    private func respond(
        to request: Request, _ context: ServiceRequestContext,
        _ next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let route = request.headers.contains(.origin) ? AccessLog.route(of: context) : ""
        let isUnknown = route == AccessLog.unmatched && !request.uri.path.hasPrefix("/v2/")
        // Other paths have no CORS headers: the management API, metrics, the console, and the pages of development mode.
        let pages = isUnknown || route.hasPrefix("/v1/") ? pages : nil
        do {
            for check in checks { try check.check(request, context) }
            guard let pages, isUnknown else {
                return try await next(request, context)
            }
            return try await pages.handle(request, context: context, next: next)
        } catch {
            let response = try ErrorResponse.make(for: error, request: request, context: context)
            return await pages?.respond(rejecting: request, context, with: response) ?? response
        }
    }
}

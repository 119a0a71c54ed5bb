import HTTPTypes
import Hummingbird
import Logging
import SessionDomain

/// Makes a span of each request, in the trace that `traceparent` names, and adds `trace_id` to the lines of the log.
///
/// The span has the template of the route and not the path, no query, no header and no address.
struct RequestTraces: Sendable {
    let options: EdgeOptions
    let observer: any ServiceObserver

    /// - Parameter respond: Receives the context with the trace in its logger.
    func trace(
        _ request: Request, _ context: ServiceRequestContext,
        _ respond: (ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let work = TracedWork.request(
            traceparents: request.headers.all(.traceparent),
            isTrusted: options.followsProxyTraces && options.isTrusted(context.peerAddress))
        return try await observer.trace(work) { span in
            var context = context
            if let id = span?.traceID {
                RequestTrail.current?.note(traceID: id)
                context.logger[metadataKey: "trace_id"] = .string(id)
            }
            if let id = context.requestID { span?.note(.requestID(id)) }
            let response = try await respond(context)
            if let span { note(request, response, context, on: span) }
            return response
        }
    }

    private func note(
        _ request: Request, _ response: Response, _ context: ServiceRequestContext, on span: any WorkSpan
    ) {
        let route = AccessLog.route(of: context)
        if AccessLog.quietRoutes.contains(route), response.status.kind != .serverError {
            return span.discard()
        }
        let findings = RequestTrail.current?.current
        if let app = findings?.app { span.note(.app(app)) }
        span.note(
            .answered(
                method: AccessLog.method(request.method), route: route, status: Int(response.status.code),
                code: findings?.code))
    }
}

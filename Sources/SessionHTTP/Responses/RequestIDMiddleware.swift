import Hummingbird
import Logging
import SessionDomain
import SessionWire

/// Gives each request an id: in its context, in its log lines, and in `X-Request-Id` of the response.
@available(service, *)
struct RequestIDMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let environment: ServiceEnvironment

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let id = environment.newID("req")
        var context = context
        context.requestID = id
        context.logger[metadataKey: "request_id"] = .string(id)
        var response = try await next(request, context)
        response.headers.set(.requestID, to: id)
        return response
    }
}

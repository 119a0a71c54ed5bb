import HTTPTypes
import Hummingbird
import SessionDomain

/// Sets the context of the events of a management call: address, user agent and request id. `ManagementKeyMiddleware` adds
/// the key.
struct OperatorContextMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let options: EdgeOptions

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let events = EventContext(
            ip: Client.address(request.headers, peerAddress: context.peerAddress, options: options),
            userAgent: request.headers.first(.userAgent), requestID: context.requestID)
        return try await EventContext.$current.withValue(events) { try await next(request, context) }
    }
}

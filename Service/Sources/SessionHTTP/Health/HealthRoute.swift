import Hummingbird
import SessionDomain
import SessionWire

/// Answers health checks of clients that reach the router. Most are answered by their connection.
struct HealthRoute: Sendable {
    let endpoint: HealthEndpoint
    let path: HealthEndpoint.Path

    @Sendable func show(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        if path != .live { _ = await endpoint.monitor.checked() }
        let answer = endpoint.answer(path)
        guard let body = answer.body else {
            RequestTrail.current?.note(code: WireRefusal.notReady.code.rawValue, refusal: .other(.notReady))
            return try ErrorResponse.make(WireRefusal.notReady, request: request, context: context)
        }
        var response = try Response.json(body, status: answer.status)
        if let seconds = answer.retryAfter { response.headers.set(.retryAfter, to: String(seconds)) }
        return response
    }
}

import Foundation
import HTTPTypes
import Hummingbird
package import SessionDomain
import SessionWire

/// The answers to health checks, for both the routes and the connections, which answer without a route.
package struct HealthEndpoint: Sendable {
    enum Path: String, CaseIterable {
        /// Whether the process answers at all.
        case live = "/livez"
        /// Whether load balancers may send requests.
        case ready = "/readyz"
        /// As `ready`, with the error body of the API.
        case health = "/health"

        /// - Parameter target: A target in origin form. A query has no effect.
        init?(target: String) {
            self.init(rawValue: target.withoutQuery)
        }
    }

    /// Whether a target in origin form is that of a health check.
    package static func isPath(_ target: String) -> Bool { Path(target: target) != nil }

    let monitor: HealthMonitor
    /// Whether `/readyz` contains the reasons. They are not for strangers.
    let showsReasons: Bool

    package init(monitor: HealthMonitor, showsReasons: Bool) {
        self.monitor = monitor
        self.showsReasons = showsReasons
    }

    /// Seconds after which a load balancer may ask again.
    private static let pause = 5

    /// The answer with what is known now.
    func answer(_ path: Path) -> HealthResponse {
        guard path != .live else { return HealthResponse(status: .ok, body: Body(status: "ok")) }
        let readiness = monitor.readiness
        let status: HTTPResponse.Status = readiness.isReady ? .ok : .serviceUnavailable
        if path == .health {
            return readiness.isReady
                ? HealthResponse(status: .ok, body: Body(status: "ok"))
                : HealthResponse(status: status, body: nil, retryAfter: Self.pause)
        }
        var body = Body(status: readiness.isReady ? "ready" : "not_ready")
        if showsReasons {
            body.reasons = Dictionary(
                uniqueKeysWithValues: readiness.reasons.map { check, reason in
                    (check.rawValue, Reason(level: check.endsService ? "error" : "warning", message: reason))
                })
        }
        return HealthResponse(status: status, body: body, retryAfter: readiness.isReady ? nil : Self.pause)
    }

    struct Body: Encodable {
        let status: String
        var reasons: [String: Reason]?
    }

    struct Reason: Encodable {
        let level: String
        let message: String
    }
}

/// A response to a health check. Without a body it is the error `internal`.
struct HealthResponse {
    let status: HTTPResponse.Status
    let body: HealthEndpoint.Body?
    var retryAfter: Int?
}

extension WireRefusal {
    static let notReady = WireRefusal(
        status: .serviceUnavailable, code: .internal, message: "the service is not ready; try again", retryAfter: 5)
}

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

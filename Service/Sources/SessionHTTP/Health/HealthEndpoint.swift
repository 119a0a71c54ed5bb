import Foundation
import HTTPTypes
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
    func answer(_ path: Path) -> HealthAnswer {
        guard path != .live else { return HealthAnswer(status: .ok, body: Body(status: "ok")) }
        let readiness = monitor.readiness
        let status: HTTPResponse.Status = readiness.isReady ? .ok : .serviceUnavailable
        if path == .health {
            return readiness.isReady
                ? HealthAnswer(status: .ok, body: Body(status: "ok"))
                : HealthAnswer(status: status, body: nil, retryAfter: Self.pause)
        }
        var body = Body(status: readiness.isReady ? "ready" : "not_ready")
        if showsReasons {
            body.reasons = Dictionary(
                uniqueKeysWithValues: readiness.reasons.map { check, reason in
                    (check.rawValue, Reason(level: check.endsService ? "error" : "warning", message: reason))
                })
        }
        return HealthAnswer(status: status, body: body, retryAfter: readiness.isReady ? nil : Self.pause)
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
struct HealthAnswer {
    let status: HTTPResponse.Status
    let body: HealthEndpoint.Body?
    var retryAfter: Int?
}

extension WireRefusal {
    static let notReady = WireRefusal(
        status: .serviceUnavailable, code: .internal, message: "the service is not ready; try again", retryAfter: 5)
}

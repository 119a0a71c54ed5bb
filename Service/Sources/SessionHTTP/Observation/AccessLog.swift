import HTTPTypes
import Hummingbird
import Logging
import SessionDomain

/// Writes one line for each request, and reports the request to the observer.
///
/// The line has the template of the route and not the path, no query and no header, so that it contains no text of the
/// caller except its address.
struct AccessLog: Sendable {
    let options: EdgeOptions
    let observer: any ServiceObserver

    /// The name of the route of a path that no route has.
    static let unmatched = "unmatched"
    static let otherMethod = "other"

    /// - Parameter seconds: From the request to its response.
    func note(
        _ request: Request, _ response: Response, _ context: ServiceRequestContext, seconds: Double,
        _ findings: RequestTrail.Findings
    ) {
        let route = Self.route(of: context)
        let reason = findings.refusal == nil ? nil : findings.mainReason
        observer.observe(
            .request(
                ServedRequest(
                    route: route, method: request.method.rawValue, status: Int(response.status.code), seconds: seconds,
                    app: findings.app, reason: reason)))
        // Here and nowhere else, so that a refusal that passes several layers counts once.
        if let reason { observer.observe(.refused(reason)) }
        let level = Self.level(of: response.status, route: route)
        guard context.logger.logLevel <= level else { return }
        context.logger.log(
            level: level, "request",
            metadata: metadata(request, response, context, route: route, seconds: seconds, findings))
    }

    static func route(of context: ServiceRequestContext) -> String {
        guard let path = context.endpointPath, path != "NotFound" else { return unmatched }
        return path
    }

    /// Health checks, metrics and graphs are called every few seconds, so their lines are for debugging. A refused one is a mistake
    /// that someone looks for, such as a wrong key.
    private static func level(of status: HTTPResponse.Status, route: String) -> Logger.Level {
        if status.kind == .serverError { return .error }
        return quietRoutes.contains(route) && status.kind == .successful ? .debug : .info
    }

    static let quietRoutes: Set = ["/health", "/livez", "/readyz", "/metrics", "/console/activity"]

    private func metadata(
        _ request: Request, _ response: Response, _ context: ServiceRequestContext, route: String, seconds: Double,
        _ findings: RequestTrail.Findings
    ) -> Logger.Metadata {
        let address = Client.address(request.headers, peerAddress: context.peerAddress, options: options)
        var metadata: Logger.Metadata = [
            "route": .string(route), "method": .string(Self.method(request.method)),
            "status": .stringConvertible(response.status.code), "address": .string(address),
            "ms": .stringConvertible((seconds * 1_000_000).rounded() / 1000),
        ]
        if let id = findings.traceID { metadata["trace_id"] = .string(id) }
        if let app = findings.app { metadata["app"] = .string(app.rawValue) }
        if let code = findings.code { metadata["code"] = .string(code) }
        if let reason = findings.mainReason { metadata["reason"] = .string(reason.name) }
        return metadata
    }

    /// A caller can invent methods, of any length.
    static func method(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
        default: otherMethod
        }
    }
}

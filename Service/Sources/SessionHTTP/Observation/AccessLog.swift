import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
package import SessionDomain
import SessionWire
import Synchronization

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

/// Writes the lines of requests that their connections answer without a route, and reports them to the observer.
///
/// Such an answer costs almost nothing, so a client can cause very many. The number of lines is bounded, and a line says how
/// many are missing. Metrics count all.
final class ConnectionAccessLog: Sendable {
    /// What a connection knows of a request.
    struct Received {
        /// `nil`: the headers are not complete.
        var head: HTTPRequestHead?
        /// The instant of the first byte.
        let startedAt: UInt64
    }

    private struct State {
        var written = 0
        var missing = 0
        /// Whether the end of the interval is scheduled.
        var isRunning = false
    }

    /// The most lines in an interval.
    static let maximumLines = 100
    static let interval = TimeAmount.seconds(10)

    private let logger: Logger
    private let observer: any ServiceObserver
    private let edge: EdgeOptions
    private let state = Mutex(State())

    init(logger: Logger, observer: any ServiceObserver, edge: EdgeOptions) {
        self.logger = logger
        self.observer = observer
        self.edge = edge
    }

    /// The request begins now.
    func begin() -> Received { Received(startedAt: observer.instant()) }

    func write(_ answer: ConnectionResponse, to received: Received, on channel: any Channel) {
        // A connection can also refuse a request to a health check, such as one with two hosts.
        let health = answer.isHealthCheck ? received.head.flatMap { HealthEndpoint.Path(target: $0.uri) } : nil
        let route = health?.rawValue
        let served = ServedRequest(
            route: route ?? AccessLog.unmatched, method: Self.method(received), status: answer.status,
            seconds: observer.seconds(since: received.startedAt))
        observer.observe(.request(served))
        if let reason = answer.reason { observer.observe(.refused(reason)) }
        let level: Logger.Level = route != nil ? .debug : answer.status >= 500 ? .error : .info
        guard logger.logLevel <= level, mayWrite(on: channel.eventLoop) else { return }
        var metadata: Logger.Metadata = [
            "request_id": .string(answer.requestID), "route": .string(served.route), "method": .string(served.method),
            "status": .stringConvertible(answer.status),
            "address": .string(address(received, peer: channel.remoteAddress?.ipAddress ?? "")),
            "ms": .stringConvertible((served.seconds * 1_000_000).rounded() / 1000),
        ]
        if let code = answer.code { metadata["code"] = .string(code.rawValue) }
        if let reason = answer.reason { metadata["reason"] = .string(reason.name) }
        logger.log(level: level, "request", metadata: metadata)
    }

    /// A caller can invent methods, of any length.
    private static func method(_ received: Received) -> String {
        guard let method = received.head.flatMap({ HTTPRequest.Method(rawValue: $0.method.rawValue) }) else {
            return AccessLog.otherMethod
        }
        return AccessLog.method(method)
    }

    private func address(_ received: Received, peer: String) -> String {
        var fields = HTTPFields()
        let name = edge.clientAddressHeader
        for value in received.head?.headers[name.rawName] ?? [] { fields.append(HTTPField(name: name, value: value)) }
        return Client.address(fields, peerAddress: peer, options: edge)
    }

    // MARK: Bound

    private func mayWrite(on eventLoop: any EventLoop) -> Bool {
        let (mayWrite, mustStart) = state.withLock { state in
            guard state.written < Self.maximumLines else {
                state.missing += 1
                return (false, false)
            }
            state.written += 1
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if mustStart { _ = eventLoop.scheduleTask(in: Self.interval) { self.endInterval() } }
        return mayWrite
    }

    private func endInterval() {
        let missing = state.withLock { state in
            defer { state = State() }
            return state.missing
        }
        guard missing > 0 else { return }
        logger.warning(
            "further requests that no route has seen have no line", metadata: ["count": .stringConvertible(missing)])
    }
}

/// What the parts of the service find out about the current request, for its line in the log.
///
/// `RequestMiddleware` creates it. It holds names of the source code, the id of an app and that of a trace, never a
/// text of the caller.
package final class RequestTrail: Sendable {
    @TaskLocal package static var current: RequestTrail?

    struct Findings {
        var app: AppID?
        /// In 32 hexadecimal digits.
        var traceID: String?
        var code: String?
        /// The reason that a rule has reported.
        var reason: RefusalReason?
        /// The reason that the error itself contains. `nil`: the request was not refused.
        var refusal: RefusalReason?

        /// The most precise reason, the same one for the log and for metrics.
        var mainReason: RefusalReason? { reason ?? refusal }
    }

    private let findings = Mutex(Findings())

    var current: Findings { findings.withLock { $0 } }

    package func note(app: AppID) { findings.withLock { $0.app = app } }

    func note(traceID: String) { findings.withLock { $0.traceID = traceID } }

    func note(code: String, refusal: RefusalReason) {
        findings.withLock { findings in
            findings.code = code
            findings.refusal = refusal
        }
    }

    /// The first reason stays: what follows from it says less.
    func note(_ reason: RefusalReason) { findings.withLock { $0.reason = $0.reason ?? reason } }
}

/// Notes the reasons of refusals on the trail of the request that causes them.
package struct TrailObserver: ServiceObserver {
    package init() {}

    package func observe(_ occurrence: Occurrence) {
        guard let reason = RefusalReason(occurrence) else { return }
        RequestTrail.current?.note(reason)
    }
}

extension RefusalReason {
    /// The reason that a rule reports beside the refusal. `nil`: the occurrence is no reason for a refusal.
    fileprivate init?(_ occurrence: Occurrence) {
        switch occurrence {
        case .login(_, .failed(let failure)): self = .login(failure)
        case .limitReached(let limit): self = .limit(limit)
        case .reuse(let reuse): self = .reuse(reuse)
        case .hookFailed(let failure): self = .hook(failure)
        case .refresh(.invalidToken, _): self = .other(.refreshTokenInvalid)
        case .refresh(.ended, _): self = .other(.sessionEnded)
        case .passwordHashRefused: self = .other(.passwordHashQueueFull)
        case .writeRefused: self = .other(.writeQueueFull)
        default: return nil
        }
    }
}

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

extension RefusalReason {
    /// The reason of any error that a route or a middleware throws.
    init(of error: any Error) {
        self =
            switch error {
            case let refusal as Refusal: RefusalReason(refusal)
            case let error as HTTPError: .other(Other(error.status))
            case StoreError.overloaded: .other(.writeQueueFull)
            case let error as StoreError where error.isOfCaller: .other(.rowsInUse)
            case is StoreError: .other(.databaseUnavailable)
            default: .other(.internalError)
            }
    }
}

extension RefusalReason.Other {
    /// The reason of an error that the HTTP layer itself throws.
    fileprivate init(_ status: HTTPResponse.Status) {
        self =
            switch status {
            case .notFound, .methodNotAllowed: .noSuchEndpoint
            case .contentTooLarge: .bodyTooLarge
            case .unsupportedMediaType: .unsupportedMediaType
            case .requestHeaderFieldsTooLarge: .headersTooLarge
            case let status where status.kind == .clientError: .invalidRequest
            default: .internalError
            }
    }
}

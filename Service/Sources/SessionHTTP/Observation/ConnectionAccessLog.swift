import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import SessionDomain
import SessionWire
import Synchronization

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

    func write(_ answer: ConnectionAnswer, to received: Received, on channel: any Channel) {
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

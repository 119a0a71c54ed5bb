import Logging
import NIOCore
import SessionDomain
import Synchronization

/// Logs limits that clients reach: the first time at once, then once per interval with a count. Observers get each one.
///
/// A line for each connection would let any client fill the log.
final class LimitLog: Sendable {
    private enum Event: Hashable {
        case connection(ConnectionLimit)
        case shed
    }

    static let interval = TimeAmount.seconds(10)

    private let logger: Logger
    private let observer: any ServiceObserver
    /// Events since the last line. A kind without a value has no running interval.
    private let counts = Mutex<[Event: Int]>([:])

    init(logger: Logger, observer: any ServiceObserver) {
        self.logger = logger
        self.observer = observer
    }

    func note(_ limit: ConnectionLimit, on eventLoop: any EventLoop) {
        observer.observe(.connectionLimit(limit))
        note(.connection(limit), on: eventLoop)
    }

    func noteShed(_ requestClass: RequestClass, on eventLoop: any EventLoop) {
        observer.observe(.requestShed(requestClass))
        note(.shed, on: eventLoop)
    }

    private func note(_ event: Event, on eventLoop: any EventLoop) {
        let isFirst = counts.withLock { counts in
            guard let count = counts[event] else {
                counts[event] = 0
                return true
            }
            counts[event] = count + 1
            return false
        }
        guard isFirst else { return }
        write(event, count: 1)
        schedule(event, on: eventLoop)
    }

    private func schedule(_ event: Event, on eventLoop: any EventLoop) {
        _ = eventLoop.scheduleTask(in: Self.interval) { self.endInterval(of: event, on: eventLoop) }
    }

    private func endInterval(of event: Event, on eventLoop: any EventLoop) {
        let count = counts.withLock { counts in
            let count = counts[event] ?? 0
            counts[event] = count > 0 ? 0 : nil
            return count
        }
        guard count > 0 else { return }
        write(event, count: count)
        schedule(event, on: eventLoop)
    }

    private func write(_ event: Event, count: Int) {
        let text =
            switch event {
            case .connection(let limit): limit.text
            case .shed: "limit of requests in work reached: rejected requests, the least urgent first"
            }
        logger.warning("\(text)", metadata: ["count": "\(count)"])
    }
}

extension ConnectionLimit {
    fileprivate var text: String {
        switch self {
        case .closedWaiting: "connection limit reached: closed the connections that waited longest"
        case .onlyHealthChecks: "connection limit reached: only health checks are answered"
        case .refused: "connection limit reached: refused connections"
        case .notAccepted:
            "new connections wait: the system cannot open them, usually because this process has no free file descriptor; raise LimitNOFILE or ulimit -n"
        case .slowHandshake: "closed connections: the TLS handshake took too long"
        case .brokenHTTP2: "closed connections: a client broke the rules or limits of HTTP/2"
        case .slowHeader: "closed connections: the headers of a request took too long"
        case .slowBody: "closed connections: the body of a request took too long"
        case .slowReader: "closed connections: a client did not read its response"
        }
    }
}

import Logging
import NIOCore
import SessionDomain
import Synchronization

/// Decides which connections are served when there are too many. A value without network and locks.
///
/// A connection waits while its client has to send something, or does not read what the service sends. At the limit, a new connection takes the slot of the one
/// that waits longest: half-sent requests and idle connections must not shut out clients that send their request. If
/// all connections are busy with responses, the new one gets a slot of the reserve, for health checks only.
struct ConnectionSlots {
    enum Kind: Equatable {
        case served
        /// Only health checks are answered.
        case reserved
    }

    enum Admission: Equatable {
        /// `closing`: the connection that must be closed to make room.
        case admitted(Kind, closing: UInt64?)
        case refused
    }

    let limit: Int
    let reserve: Int
    private(set) var kinds: [UInt64: Kind] = [:]
    private var servedCount = 0
    private var waitingServed = WaitingLine()
    private var waitingReserved = WaitingLine()

    init(limit: Int, reserve: Int) {
        self.limit = limit
        self.reserve = reserve
    }

    /// Admits a new connection, which waits for its client.
    mutating func open(_ id: UInt64) -> Admission {
        if servedCount < limit { return admit(id, .served, closing: nil) }
        if let oldest = waitingServed.popFirst() {
            close(oldest)
            return admit(id, .served, closing: oldest)
        }
        if kinds.count - servedCount < reserve { return admit(id, .reserved, closing: nil) }
        if let oldest = waitingReserved.popFirst() {
            close(oldest)
            return admit(id, .reserved, closing: oldest)
        }
        return .refused
    }

    /// The client has sent a request, and reads the responses. Only busy connections are safe from new ones.
    mutating func becomesBusy(_ id: UInt64) {
        waitingServed.remove(id)
        waitingReserved.remove(id)
    }

    /// The client has to send or to read something.
    mutating func waits(_ id: UInt64) {
        switch kinds[id] {
        case .served: waitingServed.append(id)
        case .reserved: waitingReserved.append(id)
        case nil: break
        }
    }

    /// Removes a connection. Does nothing for one that was removed to make room.
    mutating func close(_ id: UInt64) {
        becomesBusy(id)
        if kinds.removeValue(forKey: id) == .served { servedCount -= 1 }
    }

    private mutating func admit(_ id: UInt64, _ kind: Kind, closing: UInt64?) -> Admission {
        kinds[id] = kind
        if kind == .served { servedCount += 1 }
        waits(id)
        return .admitted(kind, closing: closing)
    }
}

/// Connections that wait for their clients, those that wait longest first.
///
/// All operations take constant time on average: a connection that leaves stays in the line until it is at the front,
/// or until the line is mostly such connections.
struct WaitingLine {
    private var line: [(id: UInt64, ticket: UInt64)] = []
    private var first = 0
    /// The valid ticket of each connection in the line.
    private var tickets: [UInt64: UInt64] = [:]
    private var lastTicket: UInt64 = 0

    mutating func append(_ id: UInt64) {
        lastTicket += 1
        tickets[id] = lastTicket
        line.append((id, lastTicket))
        if line.count > 2 * tickets.count + 64 { compact() }
    }

    mutating func remove(_ id: UInt64) { tickets[id] = nil }

    /// Removes and returns the connection that waits longest.
    mutating func popFirst() -> UInt64? {
        while first < line.count {
            let (id, ticket) = line[first]
            first += 1
            if tickets[id] == ticket {
                tickets[id] = nil
                return id
            }
        }
        return nil
    }

    /// The number of entries, with those that have left.
    var length: Int { line.count }

    private mutating func compact() {
        line = line[first...].filter { tickets[$0.id] == $0.ticket }
        first = 0
    }
}

/// The open connections of a listener.
final class OpenConnections: Sendable {
    private struct State {
        var slots: ConnectionSlots
        var lastID: UInt64 = 0
        /// Closes a connection. They are called outside the lock.
        var closing: [UInt64: @Sendable () -> Void] = [:]
        /// Connections without a slot that still get an answer.
        var displaced = 0
    }

    private let state: Mutex<State>
    private let maximumDisplaced: Int
    private let log: LimitLog

    init(limits: ConnectionLimits, log: LimitLog) {
        state = Mutex(State(slots: ConnectionSlots(limit: limits.connections, reserve: limits.healthReserve)))
        maximumDisplaced = limits.healthReserve
        self.log = log
    }

    /// Admits a new connection, and closes another one if there is no room.
    ///
    /// - Parameter close: Closes the connection. Can be called on any thread.
    /// - Returns: `nil` if the connection must be closed at once.
    func open(
        on eventLoop: any EventLoop, close: @escaping @Sendable () -> Void
    ) -> (id: UInt64, kind: ConnectionSlots.Kind)? {
        let (id, admission, closeOther) = state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            let admission = state.slots.open(id)
            var closeOther: (@Sendable () -> Void)?
            if case .admitted(_, let other) = admission {
                state.closing[id] = close
                closeOther = other.flatMap { state.closing.removeValue(forKey: $0) }
            }
            return (id, admission, closeOther)
        }
        if let closeOther {
            log.note(.closedWaiting, on: eventLoop)
            closeOther()
        }
        guard case .admitted(let kind, _) = admission else {
            log.note(.refused, on: eventLoop)
            return nil
        }
        return (id, kind)
    }

    func becomesBusy(_ id: UInt64) { state.withLock { $0.slots.becomesBusy(id) } }

    func waits(_ id: UInt64) { state.withLock { $0.slots.waits(id) } }

    func closed(_ id: UInt64) {
        state.withLock { state in
            state.slots.close(id)
            state.closing[id] = nil
        }
    }

    /// Returns whether one more connection without a slot may stay for an answer. Each has a descriptor.
    func displace() -> Bool {
        state.withLock { state in
            guard state.displaced < maximumDisplaced else { return false }
            state.displaced += 1
            return true
        }
    }

    /// A connection without a slot is closed.
    func displacedLeft() { state.withLock { $0.displaced -= 1 } }

    var count: Int { state.withLock(\.slots.kinds.count) }
}

/// How many connections the service has, and how long each part of a request may take.
package struct ConnectionLimits: Sendable, Equatable {
    /// Connections that are served at the same time.
    package var connections = 4000
    /// Further connections, on which only health checks are answered.
    package var healthReserve = 16
    /// Seconds from the first byte of a request, or from the start of the connection, to the end of the headers.
    package var headerTimeout = 10
    /// Seconds from the end of the headers to the end of the body.
    package var bodyTimeout = 20
    /// Seconds that a connection may be open without a request.
    package var idleTimeout = 75
    /// Seconds from the end of a request until its response is written. A client that does not read takes longer.
    package var responseTimeout = 120

    /// The most requests in work, of all connections together: about half a second of work.
    package static var requests: Int { SessionService.standardRequests }

    package init() {}

    /// The limits of a listener for the management API. It has slots of its own, so that clients of the apps cannot take
    /// them, and few, because few backends call it.
    package var ofManagement: ConnectionLimits {
        var limits = self
        limits.connections = min(connections, Self.managementConnections)
        return limits
    }

    /// The most connections of the management API.
    package static let managementConnections = 256
}

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

/// Decides which connections are served when there are too many. A value without network and locks.
///
/// A connection waits while its client has to send something, or does not read what the service sends. At the limit, a new connection takes the place of the one
/// that waits longest: half-sent requests and idle connections must not shut out clients that send their request. If
/// all connections are busy with responses, the new one gets a place of the reserve, for health checks only.
struct ConnectionPlaces {
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

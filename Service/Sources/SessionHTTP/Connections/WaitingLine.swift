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

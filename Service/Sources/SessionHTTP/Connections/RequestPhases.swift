/// Whose turn it is on a connection, and since when. Each phase has one deadline, which no byte extends.
struct RequestPhases {
    enum Phase: Equatable {
        /// The client sends the headers. Also before the first request of a connection.
        case header
        case body
        /// The service computes and writes responses.
        case responding
        /// Between two requests.
        case idle
    }

    private(set) var phase = Phase.header
    /// Grows with each new phase. Two requests in a row have different phases of the same kind.
    private(set) var serial = 0

    private var hasPartialHeader = true
    private var isReadingBody = false
    /// Requests whose headers are read, and whose responses are not written.
    private var unanswered = 0

    /// Whether a response can be written that belongs to the request that is read now.
    var canAnswer: Bool { unanswered == (isReadingBody ? 1 : 0) }

    /// Whether a request is read completely and its response is not written.
    var hasCompleteRequest: Bool { unanswered > (isReadingBody ? 1 : 0) }

    /// Whether the response is written to a request whose body has not arrived whole.
    var isAnsweredEarly: Bool { isReadingBody && unanswered == 0 }

    mutating func receivedBytes() {
        if !isReadingBody { hasPartialHeader = true }
        update()
    }

    mutating func receivedHead() {
        hasPartialHeader = false
        isReadingBody = true
        unanswered += 1
        update()
    }

    mutating func receivedEnd() {
        isReadingBody = false
        hasPartialHeader = false
        update()
    }

    mutating func wroteResponse() {
        unanswered = max(0, unanswered - 1)
        update(isNew: true)
    }

    private mutating func update(isNew: Bool = false) {
        let next: Phase =
            if isReadingBody {
                .body
            } else if unanswered > 0 {
                .responding
            } else if hasPartialHeader {
                .header
            } else {
                .idle
            }
        // The body of a request whose response is already written keeps its deadline.
        guard next != phase || (isNew && next == .responding) else { return }
        phase = next
        serial += 1
    }
}

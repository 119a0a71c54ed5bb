/// Work that a trace shows as one span.
package enum TracedWork: Sendable {
    /// A request of a caller. It begins a trace, or continues that of the caller.
    ///
    /// - Parameters:
    ///   - traceparents: The values of the header `traceparent`, as the caller has sent them (W3C Trace Context §3.2).
    ///   - isTrusted: Whether a trusted proxy has sent them. Otherwise they do not decide whether the trace is recorded.
    case request(traceparents: [String], isTrusted: Bool)
    /// The delivery of a parcel. It begins a trace.
    case delivery(OutboxKind)
    /// A request of the service to another server.
    case egress(method: String)
    /// An attempt to send a message.
    case messageAttempt(OTPLoginConfig.Channel, route: String)
    /// A call that reads, decides and writes.
    case intent(any Intent.Type)
    /// The transaction that a write shares with others, with the time that it waits for it.
    case commit
    /// A password hash, with the time that it waits for a thread.
    case passwordHash

    /// Whether the work begins a trace when it is part of none. Other work is traced only as part of a trace, so that each
    /// look into an outbox is not a trace of its own.
    package var beginsTrace: Bool {
        switch self {
        case .request, .delivery, .egress: true
        case .messageAttempt, .intent, .commit, .passwordHash: false
        }
    }
}

/// What a span shows about its work. No detail is a token, code, password, key, recipient, path or query.
package enum WorkDetail: Sendable {
    /// - Parameter route: The template of the route. It contains no value of the path.
    case answered(method: String, route: String, status: Int, code: String?)
    case requestID(String)
    case app(AppID)
    /// The name of the server that is called.
    case host(String)
    case status(Int)
    /// Writes that shared the transaction, and the seconds that the first of them waited for it.
    case batch(writes: Int, waited: Double)
    /// Seconds in the queue.
    case waited(Double)
    /// The work has failed.
    ///
    /// - Parameter name: A name that the source code contains.
    case failed(_ name: String)
}

/// A limit of connections that a client has reached: a name for logs and metrics.
package enum ConnectionLimit: String, Sendable, CaseIterable {
    /// There were too many connections: the one that waited longest for its client was closed.
    case closedWaiting = "closed_waiting"
    /// All connections were busy: a request was rejected, because only health checks are answered on its connection.
    case onlyHealthChecks = "only_health_checks"
    /// All connections were busy, also those for health checks: a new one was closed at once.
    case refused
    /// A new connection could not be accepted: the process has no free file descriptor, or the system no memory.
    case notAccepted = "not_accepted"
    /// The TLS handshake took too long.
    case slowHandshake = "slow_handshake"
    /// A client broke the rules or limits of HTTP/2.
    case brokenHTTP2 = "broken_http2"
    /// The headers of a request took too long.
    case slowHeader = "slow_header"
    /// The body of a request took too long.
    case slowBody = "slow_body"
    /// A client did not read its response.
    case slowReader = "slow_reader"
}

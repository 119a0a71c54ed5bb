/// Something that goes wrong with one request.
public enum Fault: Sendable, Hashable {
    /// The request does not arrive; the client sees `.network`.
    case dropRequest
    /// The service does its work and the answer does not arrive; the client sees `.network`.
    case dropAnswer
    /// The service does its work and the answer takes too long; the client sees `.timeout`.
    case timeOut
    /// The request does not arrive, and this status is answered, such as 401, 429 or 503.
    ///
    /// - Parameter code: The error code of the answer; `nil` is the usual one of the status.
    case answer(_ status: Int, code: String? = nil)
}

/// What stands in for the connection that a test took away.
public struct Disconnected: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String { "the test took the connection away" }
}

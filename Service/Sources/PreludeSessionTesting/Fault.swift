extension TestService {
    /// A failure of one request.
    public enum Fault: Sendable, Hashable {
        /// The request does not reach the service. The client throws `.network`.
        case dropRequest
        /// The service processes the request, and the response is lost. The client throws `.network`.
        case dropAnswer
        /// The service processes the request, and the response takes too long. The client throws `.timeout`.
        case timeOut
        /// The request does not reach the service, and the client receives this status, such as 401, 429 or 503.
        ///
        /// - Parameter code: The error code in the response. `nil` is the usual code for the status.
        case answer(_ status: Int, code: String? = nil)
    }
}

extension TestService {
    /// The underlying error when a test interrupts the connection.
    public struct Disconnected: Error, Sendable, Hashable, CustomStringConvertible {
        public var description: String { "the test interrupted the connection" }
    }
}

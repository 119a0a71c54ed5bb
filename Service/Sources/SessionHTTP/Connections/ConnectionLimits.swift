internal import SessionDomain

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

    /// The limits of a listener for the management API. It has places of its own, so that clients of the apps cannot take
    /// them, and few, because few backends call it.
    package var ofManagement: ConnectionLimits {
        var limits = self
        limits.connections = min(connections, Self.managementConnections)
        return limits
    }

    /// The most connections of the management API.
    package static let managementConnections = 256
}

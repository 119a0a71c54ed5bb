import Foundation
import SessionHTTP

/// The number of files and sockets that this process may open.
struct OpenFileLimit {
    let maximum: Int

    /// Files of the database, sockets to other services, and connections that are being closed.
    private static let others = 128

    /// Raises the limit of this process as far as the system allows, and returns it.
    static func raised() -> OpenFileLimit {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return OpenFileLimit(maximum: 1024) }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        let current = setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur
        return OpenFileLimit(maximum: Int(clamping: current))
    }

    /// Lowers the limits of connections so that each has a descriptor.
    ///
    /// - Parameter hasManagementListener: Whether the management API has its own listener, with its own places.
    /// - Returns: The limits, and whether they are lower than before.
    func fitting(_ limits: ConnectionLimits, hasManagementListener: Bool) -> (limits: ConnectionLimits, isLowered: Bool)
    {
        let listeners = hasManagementListener ? 2 : 1
        var available = maximum - Self.others - listeners * limits.healthReserve
        // The listener of the management API never has more places than the other one.
        if hasManagementListener { available = max(available - ConnectionLimits.managementConnections, available / 2) }
        available = max(1, available)
        guard limits.connections > available else { return (limits, false) }
        var limits = limits
        limits.connections = available
        return (limits, true)
    }
}

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
    /// - Returns: The limits, and whether they are lower than before.
    func fitting(_ limits: ConnectionLimits) -> (limits: ConnectionLimits, isLowered: Bool) {
        let available = max(1, maximum - Self.others - limits.healthReserve)
        guard limits.connections > available else { return (limits, false) }
        var limits = limits
        limits.connections = available
        return (limits, true)
    }
}

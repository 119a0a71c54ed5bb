import SessionDomain
import SessionHTTP

@available(service, *)
extension ServiceConfiguration {
    /// The limits of connections with these settings.
    static func connections(_ settings: Settings) throws -> ConnectionLimits {
        var limits = ConnectionLimits()
        limits.connections = try settings.number(.connectionLimit, in: 1...1_000_000) ?? limits.connections
        limits.headerTimeout = try settings.number(.headerTimeout, in: 1...600) ?? limits.headerTimeout
        limits.bodyTimeout = try settings.number(.bodyTimeout, in: 1...600) ?? limits.bodyTimeout
        limits.idleTimeout = try settings.number(.idleTimeout, in: 1...3600) ?? limits.idleTimeout
        return limits
    }

    /// Where the management API has its own listener.
    struct ManagementListener: Sendable {
        var host: String
        var port: Int
    }

    /// - Returns: `nil` without `management-port`: then one listener serves both APIs.
    static func managementListener(_ settings: Settings, publicPort: Int) throws -> ManagementListener? {
        let host = settings.string(.managementHost)
        guard let port = try settings.number(.managementPort, in: 1...65535) else {
            guard host == nil else {
                throw ConfigurationError(Key.managementHost.flag, "needs --management-port")
            }
            return nil
        }
        guard port != publicPort else {
            throw ConfigurationError(Key.managementPort.flag, "must differ from the port of the apps, \(publicPort)")
        }
        return ManagementListener(host: host ?? "127.0.0.1", port: port)
    }
}

import SessionDomain
import SessionHTTP

extension ServiceConfiguration {
    /// The limits of connections with these settings.
    static func connections(_ settings: Settings, problems: inout ConfigurationProblems) -> ConnectionLimits {
        var limits = ConnectionLimits()
        func read(_ key: Key, _ range: ClosedRange<Int>, _ limit: WritableKeyPath<ConnectionLimits, Int>) {
            limits[keyPath: limit] = problems.value(limits[keyPath: limit]) { try settings.number(key, in: range) }
        }
        read(.connectionLimit, 1...1_000_000, \.connections)
        read(.headerTimeout, 1...600, \.headerTimeout)
        read(.bodyTimeout, 1...600, \.bodyTimeout)
        read(.idleTimeout, 1...3600, \.idleTimeout)
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
                throw settings.error(.managementHost, "needs a management-port")
            }
            return nil
        }
        guard port != publicPort else {
            throw settings.error(.managementPort, "must differ from the port of the apps, \(publicPort)")
        }
        return ManagementListener(host: host ?? "127.0.0.1", port: port)
    }
}

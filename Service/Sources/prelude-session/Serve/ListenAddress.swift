import Foundation

/// A host and a port to listen on.
struct ListenAddress {
    typealias Key = ServiceConfiguration.Key

    let host: String
    let port: Int

    /// Checks that a socket can listen here, before the service opens its database.
    ///
    /// - Parameter mayBeUsed: Whether another process may listen here, such as the service that runs already.
    /// - Throws: `ConfigurationError` with what uses the port, or why it cannot be used.
    func check(_ settings: Settings, host hostKey: Key, port portKey: Key, mayBeUsed: Bool) throws {
        try withAddress(settings, hostKey) { address in
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            // As the server does: connections of a process that has just ended do not block the port.
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            guard bind(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return }
            switch errno {
            case EADDRINUSE where mayBeUsed: return
            case EADDRINUSE:
                throw settings.error(
                    portKey,
                    "another process already listens on \(host), port \(port). `ss -ltnp 'sport = :\(port)'` shows "
                        + "it. Stop it, or choose another port")
            case EADDRNOTAVAIL:
                throw settings.error(
                    hostKey, "\(host) is not an address of this machine. `ip address` lists its addresses")
            case EACCES:
                throw settings.error(
                    portKey,
                    "this user may not listen on port \(port). Choose a port above 1023, with a proxy in front of it")
            default:
                throw settings.error(
                    portKey, "cannot listen on \(host), port \(port): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Calls the closure with the first address of the host, which the server uses, too.
    private func withAddress(_ settings: Settings, _ key: Key, _ body: (addrinfo) throws -> Void) throws {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0, let first = list else {
            throw settings.error(
                key,
                "the name \"\(host.escapedForTerminal)\" cannot be resolved (\(String(cString: gai_strerror(status)))). "
                    + "Use an address, such as 127.0.0.1 or 0.0.0.0, or a name that `getent hosts` knows")
        }
        defer { freeaddrinfo(list) }
        try body(first.pointee)
    }
}

extension ServiceConfiguration {
    /// - Throws: `ConfigurationError` for the first port on which the service cannot listen.
    func checkPortsAreFree() throws {
        try ListenAddress(host: host, port: port).check(settings, host: .host, port: .port, mayBeUsed: false)
        guard let managementListener else { return }
        try ListenAddress(host: managementListener.host, port: managementListener.port)
            .check(settings, host: .managementHost, port: .managementPort, mayBeUsed: false)
    }
}

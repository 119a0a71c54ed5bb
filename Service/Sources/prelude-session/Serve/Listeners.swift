import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOPosix
import ServiceLifecycle
import SessionDomain
import SessionHTTP

/// The listeners of the service. Each has its own places for connections.
struct Listeners {
    let limits: ConnectionLimits
    let environment: ServiceEnvironment
    let health: HealthMonitor
    let edge: EdgeOptions
    /// Gets the load of each listener.
    let loads: LoadMonitor
    /// `nil`: plain HTTP.
    let certificates: TLSCertificates?
    let logger: Logger
    /// Called for each listener when it accepts connections.
    let started: @Sendable () -> Void

    /// One listener for both APIs, or one for each.
    ///
    /// - Parameter router: Makes the routes of an API.
    func services(
        of service: SessionService, for configuration: ServiceConfiguration,
        router: (ServedAPI, HealthEndpoint) -> Router<ServiceRequestContext>
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        let hasOwnListener = configuration.managementListener != nil
        let work = RequestsInWork(limit: configuration.requestLimit) {
            let waiting = service.waitingCalls
            return waiting.ofUsers + (hasOwnListener ? 0 : waiting.ofOperators)
        }
        // Strangers may reach this listener, also through a proxy on this machine.
        let health = HealthEndpoint(monitor: health, showsReasons: configuration.isDevelopment)
        guard let management = configuration.managementListener else {
            return [
                listener(
                    .apps, router(.all, health), limits, work, health, host: configuration.host,
                    port: configuration.port)
            ]
        }
        let forOperators = HealthEndpoint(monitor: self.health, showsReasons: true)
        return [
            listener(
                .apps, router(.frontend, health), limits, work, health, host: configuration.host,
                port: configuration.port),
            listener(
                .management, router(.management, forOperators), limits.ofManagement,
                RequestsInWork(limit: min(configuration.requestLimit, Self.managementRequests)) {
                    service.waitingCalls.ofOperators
                }, forOperators,
                host: management.host, port: management.port, message: "listening for the management API"),
        ]
    }

    /// The most requests in work of the management API's own listener. Apps cannot take them.
    private static let managementRequests = 64

    private func listener(
        _ name: ListenerLoad.Listener, _ router: Router<ServiceRequestContext>, _ limits: ConnectionLimits,
        _ work: RequestsInWork, _ health: HealthEndpoint, host: String, port: Int,
        message: Logger.Message = "listening"
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        // The port tells which listener has reached a limit.
        var limitLogger = logger
        limitLogger[metadataKey: "port"] = "\(port)"
        let listenerLimits = ListenerLimits(
            limits, environment: environment, logger: limitLogger, work: work, health: health, edge: edge,
            responder: router.buildResponder(), requestLogger: logger)
        loads.add { listenerLimits.load(of: name) }
        let server = connection(listenerLimits).server(
            configuration: ServerConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { [logger, started] channel in
                // This fails only if the listener is closed already.
                try? await listenerLimits.accept(on: channel)
                started()
                logger.notice(message, metadata: ["host": "\(host)", "port": "\(port)"])
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        return .init(service: server)
    }

    /// HTTP/1.1, or with a certificate TLS with HTTP/2 and HTTP/1.1.
    private func connection(_ limits: ListenerLimits) -> any ServerChildChannel {
        guard let certificates else { return limits.counted(limits.channel) }
        return limits.counted(SecureChannel(limits, certificates: certificates))
    }
}

/// A host and a port to listen on.
struct ListenAddress {
    typealias Key = ServiceConfiguration.Key

    let host: String
    let port: Int

    /// Whether a text can be an address or the name of a host (RFC 1123 §2.1).
    static func isName(_ host: String) -> Bool {
        // `fe80::1%eth0` names an interface (RFC 4007 §11).
        IPNetwork.isAddress(String(host.prefix { $0 != "%" }))
            || (1...253).contains(host.utf8.count) && host.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil
    }

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

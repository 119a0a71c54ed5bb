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

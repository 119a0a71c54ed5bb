import Hummingbird
import Logging
import ServiceLifecycle
import SessionDomain
import SessionHTTP

/// The listeners of the service. They share the limits of connections.
struct Listeners {
    private let limits: ListenerLimits
    private let logger: Logger

    init(limits: ConnectionLimits, environment: ServiceEnvironment, logger: Logger) {
        self.limits = ListenerLimits(limits, environment: environment, logger: logger)
        self.logger = logger
    }

    /// One listener for both APIs, or one for each.
    ///
    /// - Parameter router: Makes the routes of an API.
    func services(
        for configuration: ServiceConfiguration, router: (ServedAPI) -> Router<ServiceRequestContext>
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        guard let management = configuration.managementListener else {
            return [listener(router(.all), host: configuration.host, port: configuration.port, message: "listening")]
        }
        return [
            listener(router(.frontend), host: configuration.host, port: configuration.port, message: "listening"),
            listener(
                router(.management), host: management.host, port: management.port,
                message: "listening for the management API"),
        ]
    }

    private func listener(
        _ router: Router<ServiceRequestContext>, host: String, port: Int, message: Logger.Message
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        let application = Application(
            router: router, server: limits.server,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { [logger] _ in
                logger.notice(message, metadata: ["host": "\(host)", "port": "\(port)"])
            },
            logger: logger)
        return .init(service: application)
    }
}

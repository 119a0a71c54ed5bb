import Hummingbird
import Logging
import ServiceLifecycle
import SessionDomain
import SessionHTTP

/// The listeners of the service. Each has its own places for connections.
@available(service, *)
struct Listeners {
    let limits: ConnectionLimits
    let environment: ServiceEnvironment
    let logger: Logger

    /// One listener for both APIs, or one for each.
    ///
    /// - Parameter router: Makes the routes of an API.
    func services(
        for configuration: ServiceConfiguration, router: (ServedAPI) -> Router<ServiceRequestContext>
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        guard let management = configuration.managementListener else {
            return [listener(router(.all), limits, host: configuration.host, port: configuration.port)]
        }
        return [
            listener(router(.frontend), limits, host: configuration.host, port: configuration.port),
            listener(
                router(.management), limits.ofManagement, host: management.host, port: management.port,
                message: "listening for the management API"),
        ]
    }

    private func listener(
        _ router: Router<ServiceRequestContext>, _ limits: ConnectionLimits, host: String, port: Int,
        message: Logger.Message = "listening"
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        // The port tells which listener has reached a limit.
        var limitLogger = logger
        limitLogger[metadataKey: "port"] = "\(port)"
        let application = Application(
            router: router,
            server: ListenerLimits(limits, environment: environment, logger: limitLogger).server,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { [logger] _ in
                logger.notice(message, metadata: ["host": "\(host)", "port": "\(port)"])
            },
            logger: logger)
        return .init(service: application)
    }
}

import Foundation
import Logging
import ServiceLifecycle
import SessionDomain
import SessionEgress
import SessionHTTP
import SessionSQLite

/// Assembles the service and runs it until SIGTERM or SIGINT.
@available(service, *)
struct ServiceRunner {
    let configuration: ServiceConfiguration

    func run() async throws {
        let telemetry = Telemetry(configuration)
        let logger = telemetry.logger
        let mailbox = configuration.isDevelopment ? Mailbox(now: ServiceEnvironment.live.now) : nil
        // Before the database is created or migrated: a second process must not begin what it cannot finish.
        try configuration.checkPortsAreFree()
        for warning in ConfigurationWarnings(of: configuration).lines { logger.warning("\(warning)") }
        let certificates = try configuration.tls.map {
            try TLSCertificates($0, settings: configuration.settings, environment: .live, logger: logger)
        }
        var environment = ServiceEnvironment.live
        environment.observer = telemetry.observer
        let egress = try configuration.makeEgressClient(observer: environment.observer)
        let managementKeys = try self.managementKeys()
        let assembly = try await ServiceAssembly.open(
            configuration, opening: .migrating,
            defaultApp: configuration.defaultApp ?? (configuration.isDevelopment ? DevelopmentApp.id : nil),
            managementKeys: managementKeys.configured, routes: FixedRoutes(mailbox?.routes ?? []), egress: egress,
            environment: environment)
        logChanges(of: assembly, logger: logger)
        try await prepare(assembly.service, printing: managementKeys.generated, logger: logger)

        let edge = EdgeOptions(
            trustedProxies: configuration.trustedProxies, countryHeader: configuration.countryHeader,
            exemptsLoopback: configuration.isDevelopment)
        let forwarding = ForwardingLog()
        let listeners = Listeners(
            limits: connectionLimits(logger: logger), environment: assembly.service.environment,
            health: assembly.health, certificates: certificates, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: Housekeeper(service: assembly.service)),
                    .init(service: ClockWatcher(monitor: ClockMonitor(environment: assembly.service.environment))),
                    .init(service: CourierService(courier: assembly.service.courier)),
                    .init(service: CourierService(courier: assembly.service.messages)),
                ]
                    + (certificates.map { [.init(service: $0)] } ?? [])
                    + listeners.services(for: configuration) { api, health in
                        buildRouter(
                            service: assembly.service, edge: edge, forwarding: forwarding, mailbox: mailbox,
                            health: health, api: api, controls: telemetry.controls)
                    } + [
                        .init(
                            service: ProcessSignals(
                                health: assembly.health, drainDelay: configuration.drainDelay,
                                environment: assembly.service.environment, logger: logger,
                                reload: { certificates?.reload(isForced: true) }),
                            successTerminationBehavior: .gracefullyShutdownGroup)
                    ],
                gracefulShutdownSignals: [], logger: logger))
        try await group.run()
        // All responses are sent and their data is committed. Closing the store only checkpoints the write-ahead log.
        try await assembly.store.close()
        await egress.shutdown()
        logger.notice("stopped")
    }

    /// The configured limits, lowered to what the system allows.
    private func connectionLimits(logger: Logger) -> ConnectionLimits {
        let files = OpenFileLimit.raised()
        let (limits, isLowered) = files.fitting(
            configuration.connections, hasManagementListener: configuration.managementListener != nil)
        if isLowered {
            logger.warning(
                "the system allows few open files, so the connection limit is lowered; raise LimitNOFILE or ulimit -n",
                metadata: ["files": "\(files.maximum)", "connections": "\(limits.connections)"])
        }
        return limits
    }

    /// Logs what the start changed on disk.
    private func logChanges(of assembly: ServiceAssembly, logger: Logger) {
        let (found, now) = assembly.store.schema
        let path = configuration.database.fullPath
        if case .file = configuration.database, found == 0 {
            logger.notice("created the database", metadata: ["path": "\(path)", "schema": "\(now)"])
        } else if found > 0, found < now {
            logger.notice("migrated the database", metadata: ["path": "\(path)", "from": "\(found)", "to": "\(now)"])
        }
        if let path = assembly.createdKeyFile {
            logger.notice("created the master key; back it up with the database", metadata: ["path": "\(path)"])
        }
    }

    /// Returns the configured management keys. Without any, development mode has a generated one.
    private func managementKeys() throws -> (configured: [ConfiguredManagementKey], generated: String?) {
        let now = ServiceEnvironment.live.now()
        if configuration.managementKeys.isEmpty, configuration.isDevelopment {
            let secret = ManagementKeys.newSecret(.live)
            return ([ConfiguredManagementKey(secret: secret, name: DevelopmentApp.name, now: now)], secret)
        }
        return (try configuration.checkedManagementKeys(now: now), nil)
    }

    /// - Parameter key: The generated management key.
    private func prepare(_ service: SessionService, printing key: String?, logger: Logger) async throws {
        guard configuration.isDevelopment else {
            if configuration.delivery.isEmpty {
                logger.warning("no delivery of codes is configured: OTP logins of apps without their own are rejected")
            }
            let unused = UnusedRoutes(of: configuration.delivery, apps: try await service.store.apps())
            for warning in unused.warnings { logger.warning("\(warning)") }
            return
        }
        try await DevelopmentApp.ensure(in: service)
        if let key {
            // Written without a buffer, so that a program that reads a pipe gets it at once.
            FileHandle.standardOutput.write(Data("Management key of this start: \(key)\n".utf8))
        }
    }
}

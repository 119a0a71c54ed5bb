import Foundation
import Logging
import ServiceLifecycle
import SessionConsole
import SessionDomain
import SessionEgress
import SessionHTTP
import SessionSQLite

/// Assembles the service and runs it until SIGTERM or SIGINT.
struct ServiceRunner {
    let configuration: ServiceConfiguration

    func run() async throws {
        let telemetry = try Telemetry(configuration)
        // Before the program prints its error.
        defer { telemetry.flush() }
        let logger = telemetry.logger
        let mailbox = configuration.isDevelopment ? Mailbox(now: ServiceEnvironment.live.now) : nil
        // Before the database is created or migrated: a second process must not begin what it cannot finish.
        try configuration.checkPortsAreFree()
        for warning in ConfigurationWarnings(of: configuration).lines { logger.warning("\(warning)") }
        var environment = ServiceEnvironment.live
        environment.observer = telemetry.observer
        environment.sleep = { try await EventLoopWork.sleep(seconds: $0) }
        let certificates = try configuration.tls.map {
            try TLSCertificates($0, settings: configuration.settings, environment: environment, logger: logger)
        }
        let egress = try configuration.makeEgressClient(observer: environment.observer)
        let managementKeys = try self.managementKeys()
        let forwarding = ForwardingLog()
        let assembly = try await ServiceAssembly.open(
            configuration, opening: .migrating,
            defaultApp: configuration.defaultApp ?? (configuration.isDevelopment ? DevelopmentApp.id : nil),
            managementKeys: managementKeys.configured, routes: FixedRoutes(mailbox?.routes ?? []), egress: egress,
            certificate: { certificates?.finding },
            hiddenClients: { [uptime = environment.uptime] in forwarding.hiddenClients(at: uptime()) },
            environment: environment)
        if assembly.store.schema.found > 0 {
            try configuration.checkDefaultApp(in: Set(try await assembly.store.apps().map(\.id)))
        }
        logChanges(of: assembly, logger: logger)
        try await prepare(assembly.service, printing: managementKeys.generated, logger: logger)

        let edge = EdgeOptions(
            trustedProxies: configuration.trustedProxies, clientAddressHeader: configuration.clientAddressHeader,
            countryHeader: configuration.countryHeader, exemptsLoopback: configuration.isDevelopment,
            followsProxyTraces: configuration.traces?.followsProxies ?? false)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let listeners = Listeners(
            limits: connectionLimits(logger: logger), environment: assembly.service.environment,
            health: assembly.health, edge: edge, loads: telemetry.loads, certificates: certificates, logger: logger,
            started: { start.yield() })
        let controls = telemetry.controls(
            health: assembly.health, logBytes: { [store = assembly.store] in store.logBytes })
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: Housekeeper(service: assembly.service)),
            .init(service: OutboxWorkerService(worker: assembly.service.webhookWorker)),
            .init(service: OutboxWorkerService(worker: assembly.service.messages)),
            .init(service: ClockWatcher(monitor: ClockMonitor(environment: assembly.service.environment))),
            .init(service: ActivityWatcher(telemetry: telemetry, environment: assembly.service.environment)),
        ]
        if assembly.store.isUnchecked {
            let (database, source) = (configuration.database, configuration.databaseSource)
            let check = StructureCheck(store: assembly.store, logger: logger) { error in
                ConfigurationError(error, opening: database, from: source)
            }
            services.append(
                .init(
                    service: check, successTerminationBehavior: .ignore,
                    failureTerminationBehavior: .gracefullyShutdownGroup))
        }
        if let changes = assembly.store.settingsChanges() {
            services.append(
                .init(service: SettingsFollower(directory: assembly.service.directory, changes: changes)))
        }
        if let certificates { services.append(.init(service: certificates)) }
        if let traces = telemetry.traces { services.append(.init(service: traces)) }
        let listening = listeners.services(of: assembly.service, for: configuration) { api, health in
            let router = buildRouter(
                service: assembly.service, edge: edge, forwarding: forwarding, mailbox: mailbox, health: health,
                api: api, controls: controls)
            // Not on a listener for everyone, except in development.
            if api == .management || (api == .all && configuration.isDevelopment) {
                Console(service: assembly.service, edge: edge, mailbox: mailbox, activity: telemetry.activity)
                    .add(to: router)
            }
            return router
        }
        services += listening
        let manager = ServiceManager()
        let reports = ServiceManagerReports(
            manager: manager, listeners: listening.count, starts: starts, environment: assembly.service.environment)
        services.append(.init(service: reports, successTerminationBehavior: .ignore))
        let signals = ProcessSignals(
            health: assembly.health, drainDelay: configuration.drainDelay,
            environment: assembly.service.environment, manager: manager, logger: logger,
            reload: { certificates?.reload(isForced: true) })
        services.append(.init(service: signals, successTerminationBehavior: .gracefullyShutdownGroup))
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: services, gracefulShutdownSignals: [], logger: logger))
        try await group.run()
        // All responses are sent and their data is committed. Closing the store only checkpoints the write-ahead log.
        try await assembly.store.close()
        await egress.shutdown()
        await telemetry.traces?.finish()
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
        if configuration.database != .memory, found == 0 {
            logger.notice("created the database", metadata: ["path": "\(path)", "schema": "\(now)"])
        } else if found > 0, found < now {
            logger.notice("migrated the database", metadata: ["path": "\(path)", "from": "\(found)", "to": "\(now)"])
        }
        let supported = configuration.database.supportedSchema
        if now > supported {
            logger.notice(
                "a newer version has migrated the database, which this version can still use: update this node",
                metadata: ["schema": "\(now)", "supported": "\(supported)"])
        }
        for warning in assembly.store.warnings { logger.warning("\(warning)") }
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
        try await DevelopmentApp.ensure(in: service, at: configuration.origins())
        if let key {
            // Written without a buffer, so that a program that reads a pipe gets it at once.
            FileHandle.standardOutput.write(Data("Management key of this start: \(key)\n".utf8))
        }
    }
}

import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import SessionDomain
import SessionEgress
import SessionHTTP
import SessionSQLite
import UnixSignals

/// Builds the service from its configuration and runs it until SIGTERM or SIGINT.
struct ServiceRunner {
    let configuration: ServiceConfiguration

    func run() async throws {
        let logger = try makeLogger()
        let mailbox = configuration.isDevelopment ? Mailbox() : nil
        let egress = try EgressClient(policy: configuration.egressPolicy)
        let opened = try await OpenedService.open(
            configuration, opening: .migrating,
            defaultApp: configuration.defaultApp ?? (configuration.isDevelopment ? DevelopmentApp.id : nil),
            delivery: mailbox, egress: egress, notices: { logger.warning("\($0)") })
        tellChanges(of: opened, logger: logger)
        try await prepare(opened.service, logger: logger)

        let edge = EdgeOptions(
            trustedProxies: configuration.trustedProxies, countryHeader: configuration.countryHeader,
            exemptsLoopback: configuration.isDevelopment)
        let application = Application(
            router: buildRouter(service: opened.service, edge: edge, mailbox: mailbox),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { _ in
                logger.notice(
                    "listening", metadata: ["host": "\(configuration.host)", "port": "\(configuration.port)"])
            },
            logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: Housekeeper(service: opened.service, logger: logger)),
                    .init(service: Courier(courier: opened.service.courier, logger: logger)),
                    .init(service: application),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
        // Answers are out; what was answered is committed. This only folds the log into the database file.
        try await opened.store.close()
        await egress.shutdown()
        logger.notice("stopped")
    }

    private func makeLogger() throws -> Logger {
        guard let level = Logger.Level(rawValue: configuration.logLevel) else {
            throw ConfigurationError("log-level", "must be trace, debug, info, notice, warning, error or critical")
        }
        var logger = Logger(label: "prelude-session", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = level
        return logger
    }

    /// What the start changed on the disk.
    private func tellChanges(of opened: OpenedService, logger: Logger) {
        let (found, now) = opened.store.schema
        let path = configuration.database.fullPath
        if case .file = configuration.database, found == 0 {
            logger.notice("created the database", metadata: ["path": "\(path)", "schema": "\(now)"])
        } else if found > 0, found < now {
            logger.notice("migrated the database", metadata: ["path": "\(path)", "from": "\(found)", "to": "\(now)"])
        }
        if let path = opened.createdKeyFile {
            logger.notice("created the master key; back it up with the database", metadata: ["path": "\(path)"])
        }
    }

    private func prepare(_ service: SessionService, logger: Logger) async throws {
        guard configuration.isDevelopment else {
            if let key = configuration.managementKey {
                try await service.managementKeys.ensure(secret: key, name: "configured")
            }
            logger.warning("no delivery of codes is configured: OTP logins are refused")
            return
        }
        try await DevelopmentApp.ensure(in: service)
        if let key = try await DevelopmentApp.managementKey(configured: configuration.managementKey, in: service) {
            // Unbuffered, so that it is there for whoever reads a pipe.
            FileHandle.standardOutput.write(Data("Management key of this start: \(key)\n".utf8))
        }
    }
}

/// Deletes expired rows in the background.
private struct Housekeeper: Service {
    let service: SessionService
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await service.runHousekeeping { error in
                logger.error("housekeeping failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Empties the outbox in the background.
private struct Courier: Service {
    let courier: WebhookCourier
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await courier.run { error in
                logger.error("delivery of webhooks failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

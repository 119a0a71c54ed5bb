import Logging
import ServiceLifecycle
import SessionDomain
import SessionHTTP

/// Deletes expired rows in the background.
struct Housekeeper: Service {
    let service: SessionService

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await service.runHousekeeping()
        }
    }
}

/// Watches the system clock in the background.
struct ClockWatcher: Service {
    let monitor: ClockMonitor

    func run() async throws {
        await cancelWhenGracefulShutdown { await monitor.run() }
    }
}

/// Reads the counters of this process for the graphs of the console.
struct ActivityWatcher: Service {
    let telemetry: Telemetry
    let environment: ServiceEnvironment

    func run() async throws {
        await cancelWhenGracefulShutdown { await telemetry.recordActivity(environment) }
    }
}

/// Discards cached settings when another node has changed them.
struct SettingsFollower: Service {
    let directory: AppDirectory
    let changes: AsyncStream<Void>

    func run() async throws {
        await cancelWhenGracefulShutdown { await directory.follow(changes) }
    }
}

/// Checks the structure of a large database in the background.
struct StructureCheck: Service {
    let store: any OpenedStore
    let logger: Logger
    /// Describes the damage, and the remedy.
    let problem: @Sendable (StoreError) -> ConfigurationError

    /// - Throws: `ConfigurationError` for a damaged database. It ends the process.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            logger.notice("the database is large: its structure is checked while the service runs")
            do {
                try await store.checkStructure()
                logger.notice("the structure of the database is intact")
            } catch let error as StoreError {
                guard case .damaged = error else {
                    return logger.error(
                        "the structure of the database could not be checked", metadata: ["error": "\(error)"])
                }
                throw problem(error)
            } catch is CancellationError {
                logger.notice("the check of the database ended with the process; the next start begins again")
            }
        }
    }
}

/// Delivers an outbox in the background, on an event loop.
struct OutboxWorkerService<Box: Outbox>: Service {
    let worker: OutboxWorker<Box>

    func run() async throws {
        await withGracefulShutdownHandler {
            await EventLoopWork.run { await worker.run() }
        } onGracefulShutdown: {
            worker.finish()
        }
    }
}

// ServiceGroup logs the description of each service at the levels debug and trace. The default description shows all
// members, with keys and hashes.

extension Housekeeper: CustomStringConvertible {
    var description: String { "Housekeeper" }
}

extension ClockWatcher: CustomStringConvertible {
    var description: String { "Clock watcher" }
}

extension ActivityWatcher: CustomStringConvertible {
    var description: String { "Activity watcher" }
}

extension SettingsFollower: CustomStringConvertible {
    var description: String { "Settings follower" }
}

extension StructureCheck: CustomStringConvertible {
    var description: String { "Structure check" }
}

extension OutboxWorkerService: CustomStringConvertible {
    var description: String { "OutboxWorker of \(Box.kind)" }
}

import ServiceLifecycle
import SessionDomain

/// Deletes expired rows in the background.
@available(service, *)
struct Housekeeper: Service {
    let service: SessionService

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await service.runHousekeeping()
        }
    }
}

/// Watches the system clock in the background.
@available(service, *)
struct ClockWatcher: Service {
    let monitor: ClockMonitor

    func run() async throws {
        await cancelWhenGracefulShutdown { await monitor.run() }
    }
}

/// Delivers an outbox in the background.
@available(service, *)
struct CourierService<Box: Outbox>: Service {
    let courier: Courier<Box>

    func run() async throws {
        await withGracefulShutdownHandler {
            await courier.run()
        } onGracefulShutdown: {
            courier.finish()
        }
    }
}

// ServiceGroup logs the description of each service at the levels debug and trace. The default description shows all
// members, with keys and hashes.

@available(service, *)
extension Housekeeper: CustomStringConvertible {
    var description: String { "Housekeeper" }
}

@available(service, *)
extension ClockWatcher: CustomStringConvertible {
    var description: String { "Clock watcher" }
}

@available(service, *)
extension CourierService: CustomStringConvertible {
    var description: String { "Courier of \(Box.kind)" }
}

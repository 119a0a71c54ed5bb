import Logging
import ServiceLifecycle
import SessionDomain

/// Deletes expired rows in the background.
@available(service, *)
struct Housekeeper: Service {
    let service: SessionService
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await service.runHousekeeping { error in
                // The store has lines of its own for its failures.
                if error is StoreError { return }
                logger.error("housekeeping failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Delivers an outbox in the background.
@available(service, *)
struct CourierService<Box: Outbox>: Service {
    /// What is delivered.
    let content: String
    let courier: Courier<Box>
    let logger: Logger

    init(_ content: String, courier: Courier<Box>, logger: Logger) {
        self.content = content
        self.courier = courier
        self.logger = logger
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await courier.run { error in
                if error is CancellationError || error is StoreError { return }
                logger.error("delivery of \(content) failed", metadata: ["error": "\(error)"])
            }
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
extension CourierService: CustomStringConvertible {
    var description: String { "Courier of \(content)" }
}

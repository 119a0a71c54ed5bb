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
                logger.error("housekeeping failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Sends the webhooks of the outbox in the background.
@available(service, *)
struct Courier: Service {
    let courier: WebhookCourier
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await courier.run { error in
                if error is CancellationError { return }
                logger.error("delivery of webhooks failed", metadata: ["error": "\(error)"])
            }
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
extension Courier: CustomStringConvertible {
    var description: String { "Courier" }
}

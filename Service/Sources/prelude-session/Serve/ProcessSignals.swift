import Logging
import ServiceLifecycle
import SessionDomain
import UnixSignals

/// Reacts to the signals of the process: SIGTERM and SIGINT end it, SIGHUP reads files again.
///
/// It is a service that ends when the others shall end. So the process can go on for a while after SIGTERM, with 503 for
/// health checks, until load balancers send their requests elsewhere.
struct ProcessSignals: Service, CustomStringConvertible {
    let health: HealthMonitor
    /// Seconds between SIGTERM and the end of the listeners.
    let drainDelay: Int
    let environment: ServiceEnvironment
    let manager: ServiceManager
    let logger: Logger
    /// Called at SIGHUP.
    var reload: @Sendable () -> Void = {}

    var description: String { "ProcessSignals" }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        await cancelWhenGracefulShutdown { await react(to: signals) }
    }

    private func react(to signals: UnixSignalsSequence) async {
        let (ends, end) = AsyncStream.makeStream(of: UnixSignal.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals {
                    if signal == .sighup { manager.tellReloading(reload) } else { end.yield(signal) }
                }
                end.finish()
            }
            var iterator = ends.makeAsyncIterator()
            let signal = await iterator.next()
            health.drain()
            manager.tellStopping()
            if drainDelay > 0, signal == .sigterm {
                logger.notice("draining: the service ends after a delay", metadata: ["seconds": "\(drainDelay)"])
                group.addTask {
                    try? await environment.sleep(drainDelay)
                    end.finish()
                }
                // A second signal ends the delay at once.
                _ = await iterator.next()
            }
            group.cancelAll()
        }
    }
}

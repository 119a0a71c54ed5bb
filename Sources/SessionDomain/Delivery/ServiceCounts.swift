internal import Synchronization

/// Something that the service counts.
package struct CountedEvent: Hashable, Sendable {
    package let name: String
    package let labels: [String: String]

    /// A message that a route took.
    static func sent(_ message: QueuedMessage, by route: String) -> CountedEvent {
        CountedEvent(
            name: "messages_sent",
            labels: ["channel": message.channel.rawValue, "purpose": message.content.purpose.rawValue, "route": route])
    }

    /// A message that no route took.
    static func failed(_ message: QueuedMessage) -> CountedEvent {
        CountedEvent(
            name: "messages_failed",
            labels: [
                "channel": message.channel.rawValue, "purpose": message.content.purpose.rawValue,
                "route": message.lastFailure?.route ?? "", "stage": message.lastFailure?.stage ?? "",
            ])
    }

    /// An attempt that failed. Others may follow.
    static func attemptFailed(_ message: QueuedMessage, _ failure: MessageFailure) -> CountedEvent {
        CountedEvent(
            name: "message_attempts_failed",
            labels: [
                "channel": message.channel.rawValue, "route": failure.route ?? "", "stage": failure.stage,
            ])
    }

    /// A budget of messages that was spent: once for each budget, not for each call.
    static func budgetSpent(_ limit: ReachedLimit) -> CountedEvent {
        CountedEvent(name: "message_budgets_spent", labels: ["limit": limit.counter.name])
    }
}

/// Counts what happened since the start of this process, for an exporter of metrics. Labels have few values, so the number
/// of counts is small.
@available(service, *)
package final class ServiceCounts: Sendable {
    private let counts = Mutex<[CountedEvent: Int]>([:])

    package init() {}

    func add(_ event: CountedEvent) { counts.withLock { $0[event, default: 0] += 1 } }

    package var current: [CountedEvent: Int] { counts.withLock { $0 } }
}

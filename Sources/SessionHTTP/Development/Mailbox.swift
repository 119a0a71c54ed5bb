package import SessionDomain
import Synchronization

/// Keeps the newest codes in memory instead of sending them. For development.
@available(service, *)
package final class Mailbox: CodeDelivery, Sendable {
    /// The most messages that are kept. The oldest one is dropped.
    package static let capacity = 100

    private let kept = Mutex<[CodeMessage]>([])

    package init() {}

    package func enqueue(_ message: CodeMessage) {
        kept.withLock { kept in
            kept.insert(message, at: 0)
            if kept.count > Self.capacity { kept.removeLast() }
        }
    }

    /// Newest first.
    package var messages: [CodeMessage] { kept.withLock { $0 } }
}

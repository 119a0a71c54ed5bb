package import SessionDomain
import Synchronization

/// Where codes go in development: the newest hundred, in memory.
package final class Mailbox: CodeDelivery, Sendable {
    /// Messages kept.
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

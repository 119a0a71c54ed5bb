package import SessionDomain
import Synchronization

/// Keeps the newest messages in memory instead of sending them. For development.
package final class Mailbox: Sendable {
    /// The most messages that are kept. The oldest one is dropped.
    package static let capacity = 100

    /// A message with the time at which it arrived.
    package struct Entry: Sendable, Equatable {
        package let message: OutboundMessage
        package let sentAt: Timestamp
    }

    private let now: @Sendable () -> Timestamp
    private let kept = Mutex<[Entry]>([])

    /// - Parameter now: The clock of the service.
    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    package func keep(_ message: OutboundMessage) {
        let entry = Entry(message: message, sentAt: now())
        kept.withLock { kept in
            kept.insert(entry, at: 0)
            if kept.count > Self.capacity { kept.removeLast() }
        }
    }

    /// Newest first.
    package var entries: [Entry] { kept.withLock { $0 } }

    /// Newest first, without the times.
    package var messages: [OutboundMessage] { entries.map(\.message) }

    /// A route for each channel.
    package var routes: [any MessageRoute] {
        OTPLoginConfig.Channel.allCases.map { MailboxRoute(mailbox: self, channel: $0) }
    }
}

/// Delivers the messages of one channel to the mailbox.
struct MailboxRoute: MessageRoute {
    let mailbox: Mailbox
    let channel: OTPLoginConfig.Channel

    let name = "mailbox"

    func send(_ message: OutboundMessage) async -> SendingResult {
        mailbox.keep(message)
        return .accepted(reference: nil)
    }
}

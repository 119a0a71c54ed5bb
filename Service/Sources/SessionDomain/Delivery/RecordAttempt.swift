/// Stores the result of an attempt, and reports it with an event if it is the last one.
///
/// If the lease has ended meanwhile, another courier may have the message. Only an acceptance still counts then.
package struct RecordAttempt: Intent {
    /// The message as it was claimed.
    package let message: QueuedMessage
    package let attempt: MessageAttempt
    package let now: Timestamp
    package let events: EventFactory

    package init(_ attempt: MessageAttempt, of message: QueuedMessage, now: Timestamp, events: EventFactory) {
        self.attempt = attempt
        self.message = message
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: message.appID) { $0.message = .state(of: message) } }

    /// - Returns: The message as it is stored now. `nil` if this attempt changes nothing.
    package func decide(_ facts: Facts) -> Decision<QueuedMessage?> {
        guard let stored = facts.message, stored.status == .pending else { return Decision(nil) }
        var (route, reference): (String?, String?)
        if case .routed(.accepted(let name, let id)) = attempt {
            (route, reference) = (name, id)
        } else if stored.nextAttemptAt != message.nextAttemptAt {
            return Decision(nil)
        }
        let next = stored.after(attempt, at: now)
        let event = events.result(of: next, by: route, reference: reference)
        // A notice has nothing more to say, and may be to an address that its user has no longer.
        let isOver = next.status != .pending && message.content.purpose == .notice
        let change: Change = isOver ? .deleteMessage(stored) : .replaceMessage(stored, with: next)
        return Decision(next, [change] + (event.map { [.append($0)] } ?? []))
    }
}

/// Makes a delivery due now, whatever became of it.
///
/// The courier writes only pending deliveries that are due. So every other one can be written without a guard: two operators
/// who do it at once write the same.
package struct ResendDelivery: Intent {
    package let delivery: WebhookDelivery
    package let now: Timestamp
    /// Reports the request.
    package let events: EventFactory

    package init(_ delivery: WebhookDelivery, now: Timestamp, events: EventFactory) {
        self.delivery = delivery
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: delivery.event.appID) }

    /// - Throws: `Refusal.conflict` if the courier may have the delivery now.
    package func decide(_ facts: Facts) throws -> Decision<Void> {
        guard delivery.status != .pending || delivery.nextAttemptAt > now + WebhookOutbox.lease else {
            throw Refusal.conflict("the event is being sent, or will be within a minute")
        }
        var next = delivery
        if delivery.status != .pending { next.attempts = 0 }
        next.status = .pending
        next.nextAttemptAt = now
        next.deliveredAt = nil
        return Decision((), [.recordDelivery(next, onlyIfPending: false), .append(events.resent(delivery))])
    }
}

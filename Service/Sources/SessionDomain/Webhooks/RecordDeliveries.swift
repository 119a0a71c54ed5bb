/// Stores the results of attempts to deliver.
///
/// An attempt can fail after an operator has changed the webhook, which ends what is pending. A failure must not make such a
/// delivery pending again: it would go to the new URL, whose owner may be another one.
package struct RecordDeliveries: Intent {
    package let deliveries: [WebhookDelivery]

    package init(_ deliveries: [WebhookDelivery]) { self.deliveries = deliveries }

    package var facts: FactQuery { FactQuery(app: deliveries.first?.event.appID) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        Decision((), deliveries.map { .recordDelivery($0, onlyIfPending: $0.status != .delivered) })
    }
}

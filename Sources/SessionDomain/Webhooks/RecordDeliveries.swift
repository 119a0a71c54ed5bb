/// Stores the results of attempts to deliver.
package struct RecordDeliveries: Intent {
    package let deliveries: [WebhookDelivery]

    package init(_ deliveries: [WebhookDelivery]) { self.deliveries = deliveries }

    package var facts: FactQuery { FactQuery(app: deliveries.first?.event.appID) }

    package func decide(_ facts: Facts) -> Decision<Void> { Decision((), deliveries.map { .recordDelivery($0) }) }
}

/// Adds a webhook. Returns `false` if the app has `Webhook.maximumPerApp`.
package struct CreateWebhook: Intent {
    package let webhook: Webhook
    /// Reports the creation.
    package let events: EventFactory?

    package init(_ webhook: Webhook, events: EventFactory? = nil) {
        self.webhook = webhook
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: webhook.appID) { $0.webhookCount = true } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard facts.webhookCount < Webhook.maximumPerApp else { return Decision(false) }
        let event = events.map { [Change.append($0.webhook(.webhookCreated, webhook))] } ?? []
        return Decision(true, [.insertWebhook(webhook, expectedCount: facts.webhookCount)] + event)
    }
}

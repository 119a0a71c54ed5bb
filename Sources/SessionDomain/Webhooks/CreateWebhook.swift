/// Adds a webhook. Returns `false` if the app has `Webhook.maximumPerApp`.
package struct CreateWebhook: Intent {
    package let webhook: Webhook

    package init(_ webhook: Webhook) { self.webhook = webhook }

    package var facts: FactQuery { FactQuery(app: webhook.appID) { $0.webhookCount = true } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard facts.webhookCount < Webhook.maximumPerApp else { return Decision(false) }
        return Decision(true, [.insertWebhook(webhook, expectedCount: facts.webhookCount)])
    }
}

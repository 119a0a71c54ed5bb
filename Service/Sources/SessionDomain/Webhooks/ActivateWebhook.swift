/// Makes a webhook active, if it still has the url that confirmed the activation. Returns `nil` otherwise.
package struct ActivateWebhook: Intent {
    package let id: String
    package let appID: AppID
    package let url: String
    package let now: Timestamp
    /// Reports the activation.
    package let events: EventFactory?

    package init(_ id: String, app: AppID, url: String, now: Timestamp, events: EventFactory? = nil) {
        self.id = id
        appID = app
        self.url = url
        self.now = now
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.webhook = id } }

    package func decide(_ facts: Facts) -> Decision<Webhook?> {
        guard let webhook = facts.webhook, webhook.url == url else { return Decision(nil) }
        var next = webhook
        next.status = .active
        next.updatedAt = now
        let event = events.map { [Change.append($0.webhook(.webhookActivated, webhook))] } ?? []
        return Decision(next, [.replaceWebhook(webhook, with: next)] + event)
    }
}

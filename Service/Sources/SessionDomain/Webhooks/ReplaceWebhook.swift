/// Replaces url and events of a webhook. Returns `nil` for an unknown webhook.
///
/// Another url has to be activated again. What is pending for the old url fails: up to `EndDeliveries.batchSize` here, and the
/// rest by `EndDeliveries`.
package struct ReplaceWebhook: Intent {
    package let id: String
    package let appID: AppID
    package let url: String
    package let events: [String]
    package let now: Timestamp
    /// Reports the change.
    package let audit: EventFactory?

    package init(
        _ id: String, app: AppID, url: String, events: [String], now: Timestamp, audit: EventFactory? = nil
    ) {
        self.id = id
        appID = app
        self.url = url
        self.events = events
        self.now = now
        self.audit = audit
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.webhook = id } }

    package func decide(_ facts: Facts) -> Decision<Webhook?> {
        guard let webhook = facts.webhook else { return Decision(nil) }
        var next = webhook
        if webhook.url != url { next.status = .inactive }
        next.url = url
        next.events = events
        next.updatedAt = now
        let ended = Change.failPendingDeliveries(
            of: webhook, error: EndDeliveries.reason, limit: EndDeliveries.batchSize)
        let failed = next.status == .active ? [] : [ended]
        let event = audit?.webhookUpdated(webhook, to: next).map { [Change.append($0)] } ?? []
        return Decision(next, failed + [.replaceWebhook(webhook, with: next)] + event)
    }
}

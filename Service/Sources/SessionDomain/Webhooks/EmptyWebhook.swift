/// Makes a webhook inactive and deletes deliveries of it, so that its deletion is a short transaction. Returns `false` for an
/// unknown webhook.
package struct EmptyWebhook: Intent {
    package let id: String
    package let appID: AppID
    package let now: Timestamp
    package let limit: Int

    package init(_ id: String, app: AppID, now: Timestamp, limit: Int = EndDeliveries.batchSize) {
        self.id = id
        appID = app
        self.now = now
        self.limit = limit
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.webhook = id } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let webhook = facts.webhook else { return Decision(false) }
        var next = webhook
        next.status = .inactive
        next.updatedAt = now
        let stop: [Change] = webhook.status == .active ? [.replaceWebhook(webhook, with: next)] : []
        return Decision(true, stop + [.deleteDeliveries(of: webhook, limit: limit)])
    }
}

/// Deletes a webhook with its deliveries. Returns `false` for an unknown webhook.
package struct DeleteWebhook: Intent {
    package let id: String
    package let appID: AppID
    /// Reports the deletion.
    package let events: EventFactory?

    package init(_ id: String, app: AppID, events: EventFactory? = nil) {
        self.id = id
        appID = app
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.webhook = id } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let webhook = facts.webhook else { return Decision(false) }
        let event = events.map { [Change.append($0.webhook(.webhookDeleted, webhook))] } ?? []
        return Decision(true, [.deleteWebhook(webhook)] + event)
    }
}

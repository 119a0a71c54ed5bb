/// Deletes a webhook with its deliveries. Returns `false` for an unknown webhook.
package struct DeleteWebhook: Intent {
    package let id: String
    package let appID: AppID

    package init(_ id: String, app: AppID) {
        self.id = id
        appID = app
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.webhook = id } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let webhook = facts.webhook else { return Decision(false) }
        return Decision(true, [.deleteWebhook(webhook)])
    }
}

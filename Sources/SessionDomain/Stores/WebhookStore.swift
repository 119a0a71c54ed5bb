/// Reads webhooks and their deliveries.
package protocol WebhookStore: IntentStore {
    /// Oldest first.
    func webhooks(app: AppID) async throws -> [Webhook]
    func webhook(_ id: String, app: AppID) async throws -> Webhook?
    /// Newest first.
    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery]
    /// The active webhooks of all apps that have a delivery due.
    func dueWebhooks(now: Timestamp) async throws -> [Webhook]
}

/// Webhooks and the outbox. Whatever appends an event also files a delivery for each active webhook that wants it, in
/// the same transaction.
package protocol WebhookStore: Sendable {
    /// `false` when the app has `Webhook.maximumPerApp` already.
    func insertWebhook(_ webhook: Webhook) async throws -> Bool
    /// Oldest first.
    func webhooks(app: AppID) async throws -> [Webhook]
    func webhook(_ id: String, app: AppID) async throws -> Webhook?
    /// Writes url, events and status; `false` for an unknown webhook. One that is not active gives up what it had pending.
    func updateWebhook(_ webhook: Webhook) async throws -> Bool
    /// Makes a webhook active if it still has this address.
    func activateWebhook(_ id: String, app: AppID, url: String, now: Timestamp) async throws -> Bool
    /// Deletes a webhook with its deliveries.
    func deleteWebhook(_ id: String, app: AppID) async throws -> Bool
    /// Newest first.
    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery]
    /// The active webhooks that have something due.
    func dueWebhooks(now: Timestamp) async throws -> [Webhook]
    /// Takes deliveries of a webhook that are due, if it is still active at this address, longest due first, and puts them off to `leaseEnd`, so that nobody
    /// else takes them meanwhile and a crash loses none.
    func claimDeliveries(
        of webhook: Webhook, now: Timestamp, leaseEnd: Timestamp, limit: Int
    ) async throws -> [WebhookDelivery]
    /// Writes what came of deliveries.
    func record(_ deliveries: [WebhookDelivery]) async throws
}

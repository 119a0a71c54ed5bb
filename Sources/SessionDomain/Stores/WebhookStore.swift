/// Webhooks and the outbox. Whatever appends an event also files a delivery for each active webhook that wants it, in
/// the same transaction.
package protocol WebhookStore: Sendable {
    /// `false` when the app has `Webhook.maximumPerApp` already.
    func insertWebhook(_ webhook: Webhook) async throws -> Bool
    /// Oldest first.
    func webhooks(app: AppID) async throws -> [Webhook]
    func webhook(_ id: String, app: AppID) async throws -> Webhook?
    /// Writes url, events and status; `false` for an unknown webhook.
    func updateWebhook(_ webhook: Webhook) async throws -> Bool
    /// Deletes a webhook with its deliveries.
    func deleteWebhook(_ id: String, app: AppID) async throws -> Bool
    /// Newest first.
    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery]
    /// Takes deliveries of active webhooks that are due, oldest first, and puts them off to `leaseEnd`, so that nobody
    /// else takes them meanwhile and a crash loses none.
    func claimDeliveries(now: Timestamp, leaseEnd: Timestamp, limit: Int) async throws -> [ClaimedDelivery]
    /// Writes what came of deliveries.
    func record(_ deliveries: [WebhookDelivery]) async throws
}

/// A delivery with where it goes.
package struct ClaimedDelivery: Sendable, Equatable {
    package let delivery: WebhookDelivery
    package let url: String

    package init(delivery: WebhookDelivery, url: String) {
        self.delivery = delivery
        self.url = url
    }
}

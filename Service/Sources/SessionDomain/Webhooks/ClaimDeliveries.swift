/// Takes deliveries of a webhook that are due, if it is still active at this url.
///
/// They are postponed to `leaseEnd`, so that no other courier takes them, and none is lost if the process ends.
package struct ClaimDeliveries: Intent {
    package let webhook: Webhook
    package let now: Timestamp
    package let leaseEnd: Timestamp
    package let limit: Int

    package init(of webhook: Webhook, now: Timestamp, leaseEnd: Timestamp, limit: Int) {
        self.webhook = webhook
        self.now = now
        self.leaseEnd = leaseEnd
        self.limit = limit
    }

    package var facts: FactQuery {
        FactQuery(app: webhook.appID) {
            $0.webhook = webhook.id
            $0.dueDeliveries = .init(now: now, limit: limit)
        }
    }

    package func decide(_ facts: Facts) -> Decision<[WebhookDelivery]> {
        guard let stored = facts.webhook, stored.status == .active, stored.url == webhook.url else {
            return Decision([])
        }
        return Decision(facts.dueDeliveries, facts.dueDeliveries.map { .leaseDelivery($0, until: leaseEnd) })
    }
}

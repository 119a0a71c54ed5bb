internal import SessionDomain
internal import SessionTokens
internal import Testing

extension ContractWorld {
    func newWebhook(
        _ events: [Event.Name] = [.userCreated], status: Webhook.Status = .active, app: AppID? = nil,
        at time: Timestamp? = nil
    ) -> Webhook {
        Webhook(
            id: environment.newID("web"), appID: app ?? self.app, url: "https://hooks.example.com/session",
            events: events.map(\.rawValue), status: status, verificationToken: "verify", createdAt: time ?? now,
            updatedAt: time ?? now)
    }

    /// A webhook that is in the store.
    func addWebhook(
        _ events: [Event.Name] = [.userCreated], status: Webhook.Status = .active, app: AppID? = nil
    ) async throws -> Webhook {
        let webhook = newWebhook(events, status: status, app: app)
        try #require(try await store.perform(CreateWebhook(webhook)))
        return webhook
    }

    /// Events that are in the store, one per second.
    @discardableResult
    func tell(_ names: Event.Name..., app: AppID? = nil) async throws -> [Event] {
        var events: [Event] = []
        for (index, name) in names.enumerated() {
            let factory = EventFactory(appID: app ?? self.app, environment: environment(at: now + index))
            events.append(factory.make(name, ["number": .int(Int64(index))]))
        }
        try await store.perform(AppendEvents(events))
        return events
    }

    /// Claims up to `limit` due deliveries of each webhook, as a worker does.
    func claim(after seconds: Int, lease: Int = 60, limit: Int = 1000) async throws -> [ClaimedDelivery] {
        var claimed: [ClaimedDelivery] = []
        for webhook in try await store.dueWebhooks(now: now + seconds) {
            let deliveries = try await store.perform(
                ClaimDeliveries(
                    of: webhook, now: now + seconds, leaseEnd: now + seconds + lease, limit: limit))
            claimed += deliveries.map { ClaimedDelivery(delivery: $0, url: webhook.url) }
        }
        return claimed
    }

    func deliveries(of webhook: Webhook) async throws -> [WebhookDelivery] {
        try await store.deliveries(of: webhook.id, app: webhook.appID, limit: 1000, offset: 0)
    }
}

/// A delivery with its url.
struct ClaimedDelivery: Sendable, Equatable {
    let delivery: WebhookDelivery
    let url: String
}

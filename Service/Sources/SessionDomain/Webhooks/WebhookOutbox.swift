/// The events that webhooks have not received yet. A parcel is a batch of events for one webhook, with ids by which
/// receivers recognize repeats.
package struct WebhookOutbox: Outbox {
    private let store: any WebhookStore
    private let directory: AppDirectory
    private let call: HookCall
    private let environment: ServiceEnvironment

    static let agent = "Prelude-SessionWebhook/1.0"
    static let signaturePrefix = "rsassa-pss-sha256="
    /// Seconds to wait for the answer of an endpoint.
    static let timeout = 10
    /// Seconds for which claimed deliveries are reserved. It is longer than a request can take.
    static let lease = 60
    /// Maximum number of events per request.
    static let batchSize = 100
    package static let kind = OutboxKind.webhooks
    package static let width = 1
    package static let capacity = 32
    /// Receivers recognize a repeated event, so the end of the process waits for no endpoint.
    package static let grace = 0

    init(store: any WebhookStore, directory: AppDirectory, call: HookCall, environment: ServiceEnvironment) {
        self.store = store
        self.directory = directory
        self.call = call
        self.environment = environment
    }

    /// Events for a webhook, as it was when they were claimed.
    package struct Batch: Sendable {
        let webhook: Webhook
        let deliveries: [WebhookDelivery]
    }

    package func due(at now: Timestamp) async throws -> [(lane: Webhook, count: Int)] {
        try await store.dueWebhooks(now: now).map { ($0, 1) }
    }

    package func claim(in webhook: Webhook, at now: Timestamp) async throws -> Batch? {
        let deliveries = try await store.perform(
            ClaimDeliveries(of: webhook, now: now, leaseEnd: now + Self.lease, limit: Self.batchSize))
        guard let first = deliveries.first else { return nil }
        if first.attempts == 0 {
            let lag = now.seconds(since: first.event.createdAt)
            environment.observer.observe(.outboxClaimed(.webhooks, lag: lag))
        }
        return Batch(webhook: webhook, deliveries: deliveries)
    }

    package func deliver(_ batch: Batch) async throws -> Bool {
        let result = try await post(batch.deliveries.map(\.event), to: batch.webhook)
        let answeredAt = environment.now()
        try await store.perform(RecordDeliveries(batch.deliveries.map { $0.tried(result, at: answeredAt) }))
        // After a failure, further requests wait for the next attempt.
        return result == .answered(200) && batch.deliveries.count == Self.batchSize
    }

    private struct Body: Encodable {
        let appID: String
        let events: [EventBody]

        private enum CodingKeys: String, CodingKey {
            case events
            case appID = "app_id"
        }
    }

    private func post(_ events: [Event], to webhook: Webhook) async throws -> DeliveryResult {
        let body = Body(appID: webhook.appID.rawValue, events: events.map(EventBody.init))
        do {
            let answer = try await call.post(
                body, to: webhook.url, agent: Self.agent, prefix: Self.signaturePrefix, timeout: Self.timeout,
                app: try await directory.app(webhook.appID))
            return .answered(answer.status)
        } catch let error as EgressError {
            return .unreachable(error.summary)
        }
    }
}

internal import Synchronization

/// Delivers events to webhooks: at least once, in batches, with ids by which receivers recognize repeats.
@available(service, *)
package final class WebhookCourier: Sendable {
    private let store: any WebhookStore
    private let directory: AppDirectory
    private let call: HookCall
    private let environment: ServiceEnvironment
    /// The ids of webhooks that have a delivery in progress in this process.
    private let underWay = Mutex<Set<String>>([])

    static let agent = "Prelude-SessionWebhook/1.0"
    static let signaturePrefix = "rsassa-pss-sha256="
    /// Seconds to wait for the answer of an endpoint.
    static let timeout = 10
    /// Seconds for which claimed deliveries are reserved. It is longer than a request can take.
    static let lease = 60
    /// Maximum number of events per request.
    static let batchSize = 100
    /// Maximum number of webhooks with a delivery in progress.
    static let concurrency = 32

    init(store: any WebhookStore, directory: AppDirectory, call: HookCall, environment: ServiceEnvironment) {
        self.store = store
        self.directory = directory
        self.call = call
        self.environment = environment
    }

    /// Delivers what is due, once a second, until cancelled. A slow webhook does not delay the others.
    package func run(report: @escaping @Sendable (any Error) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    for webhook in try await takeDue() {
                        group.addTask {
                            do { try await self.deliver(to: webhook) } catch { report(error) }
                        }
                    }
                } catch {
                    report(error)
                }
                if (try? await environment.sleep(1)) == nil { break }
            }
            group.cancelAll()
        }
    }

    /// Delivers what is due now and returns when that is done.
    package func deliverDue() async throws {
        let due = try await takeDue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for webhook in due { group.addTask { try await self.deliver(to: webhook) } }
            try await group.waitForAll()
        }
    }

    /// Reserves the webhooks that have a delivery due and none in progress.
    private func takeDue() async throws -> [Webhook] {
        let due = try await store.dueWebhooks(now: environment.now())
        return underWay.withLock { underWay in
            var taken: [Webhook] = []
            for webhook in due where underWay.count < Self.concurrency {
                if underWay.insert(webhook.id).inserted { taken.append(webhook) }
            }
            return taken
        }
    }

    private func deliver(to webhook: Webhook) async throws {
        defer { underWay.withLock { _ = $0.remove(webhook.id) } }
        while true {
            let now = environment.now()
            let batch = try await store.perform(
                ClaimDeliveries(of: webhook, now: now, leaseEnd: now + Self.lease, limit: Self.batchSize))
            guard !batch.isEmpty else { return }
            let result = try await post(batch.map(\.event), to: webhook)
            let answeredAt = environment.now()
            try await store.perform(RecordDeliveries(batch.map { $0.tried(result, at: answeredAt) }))
            // The endpoint has failed. Further requests wait for the next attempt.
            if result != .answered(200) || batch.count < Self.batchSize { return }
        }
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

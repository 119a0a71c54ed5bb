import SessionDomain
import Synchronization

/// A store that hands out each delivery once, and remembers the recorded results.
final class PlayedDeliveries: WebhookStore {
    private struct State {
        var due: [WebhookDelivery]
        var recorded: [WebhookDelivery] = []
        var lease: Int64?
    }

    private let state: Mutex<State>

    /// - Parameter due: The deliveries. The url of a webhook is `https://{webhook id}.example.com/`.
    init(_ due: [WebhookDelivery]) { state = Mutex(State(due: due)) }

    var recorded: [WebhookDelivery] { state.withLock { $0.recorded } }
    /// Seconds of the last lease.
    var lease: Int64? { state.withLock { $0.lease } }

    func dueWebhooks(now: Timestamp) async throws -> [Webhook] {
        let deliveries = state.withLock { $0.due }
        return Set(deliveries.map(\.webhookID)).sorted().compactMap { id in
            deliveries.first.map { first in
                Webhook(
                    id: id, appID: first.event.appID, url: "https://\(id).example.com/", events: [], status: .active,
                    verificationToken: "verify", createdAt: now, updatedAt: now)
            }
        }
    }

    func hasDeliveries(of webhookID: String, app: AppID, moreThan count: Int) async throws -> Bool { false }

    func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        let (query, webhook) = (intent.reads.query, try await webhook(intent.reads.query.webhook))
        return try state.withLock { state in
            let decision = try intent.decide(
                FoundRows { facts in
                    facts.webhook = webhook
                    guard let due = query.dueDeliveries else { return }
                    facts.dueDeliveries = Array(state.due.filter { $0.webhookID == query.webhook }.prefix(due.limit))
                })
            for change in decision.changes {
                switch change {
                case .leaseDelivery(let delivery, let until):
                    state.lease = query.dueDeliveries.map { until.seconds - $0.now.seconds }
                    state.due.removeAll { $0 == delivery }
                case .recordDelivery(let delivery, _): state.recorded.append(delivery)
                default: break
                }
            }
            return decision.outcome
        }
    }

    private func webhook(_ id: String?) async throws -> Webhook? {
        try await dueWebhooks(now: Timestamp(seconds: 0)).first { $0.id == id }
    }

    func webhooks(app: AppID) async throws -> [Webhook] { throw StoreError.overloaded }

    func webhook(_ id: String, app: AppID) async throws -> Webhook? { throw StoreError.overloaded }

    func deliveries(
        of webhookID: String, app: AppID, after eventID: String, limit: Int
    ) async throws -> [WebhookDelivery]? { throw StoreError.overloaded }

    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery] {
        throw StoreError.overloaded
    }
}

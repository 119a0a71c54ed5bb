import SessionDomain
import Synchronization

/// An outbox that hands out what it is given, once, and remembers what came of it.
final class Outbox: WebhookStore {
    private struct State {
        var due: [WebhookDelivery]
        var recorded: [WebhookDelivery] = []
        var lease: Int64?
    }

    private let state: Mutex<State>

    /// - Parameter due: Each goes to `https://{webhook id}.example.com/`.
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

    func claimDeliveries(
        of webhook: Webhook, now: Timestamp, leaseEnd: Timestamp, limit: Int
    ) async throws -> [WebhookDelivery] {
        state.withLock { state in
            state.lease = leaseEnd.seconds - now.seconds
            let claimed = Array(state.due.filter { $0.webhookID == webhook.id }.prefix(limit))
            state.due.removeAll(where: claimed.contains)
            return claimed
        }
    }

    func record(_ deliveries: [WebhookDelivery]) async throws { state.withLock { $0.recorded += deliveries } }

    func insertWebhook(_ webhook: Webhook) async throws -> Bool { throw StoreError.overloaded }

    func webhooks(app: AppID) async throws -> [Webhook] { throw StoreError.overloaded }

    func webhook(_ id: String, app: AppID) async throws -> Webhook? { throw StoreError.overloaded }

    func updateWebhook(_ webhook: Webhook) async throws -> Bool { throw StoreError.overloaded }

    func activateWebhook(_ id: String, app: AppID, url: String, now: Timestamp) async throws -> Bool {
        throw StoreError.overloaded
    }

    func deleteWebhook(_ id: String, app: AppID) async throws -> Bool { throw StoreError.overloaded }

    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery] {
        throw StoreError.overloaded
    }
}

import SessionDomain
import Synchronization

/// An outbox that hands out what it is given, once, and remembers what came of it.
final class Outbox: WebhookStore {
    private struct State {
        var due: [ClaimedDelivery]
        var recorded: [WebhookDelivery] = []
        var lease: Int64?
    }

    private let state: Mutex<State>

    init(_ due: [ClaimedDelivery]) { state = Mutex(State(due: due)) }

    var recorded: [WebhookDelivery] { state.withLock { $0.recorded } }
    /// Seconds of the last lease.
    var lease: Int64? { state.withLock { $0.lease } }

    func claimDeliveries(now: Timestamp, leaseEnd: Timestamp, limit: Int) async throws -> [ClaimedDelivery] {
        state.withLock { state in
            state.lease = leaseEnd.seconds - now.seconds
            defer { state.due.removeFirst(min(limit, state.due.count)) }
            return Array(state.due.prefix(limit))
        }
    }

    func record(_ deliveries: [WebhookDelivery]) async throws { state.withLock { $0.recorded += deliveries } }

    func insertWebhook(_ webhook: Webhook) async throws -> Bool { throw StoreError.overloaded }

    func webhooks(app: AppID) async throws -> [Webhook] { throw StoreError.overloaded }

    func webhook(_ id: String, app: AppID) async throws -> Webhook? { throw StoreError.overloaded }

    func updateWebhook(_ webhook: Webhook) async throws -> Bool { throw StoreError.overloaded }

    func deleteWebhook(_ id: String, app: AppID) async throws -> Bool { throw StoreError.overloaded }

    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery] {
        throw StoreError.overloaded
    }
}

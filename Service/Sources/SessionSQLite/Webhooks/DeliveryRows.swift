internal import GRDB
internal import SessionDomain

extension WebhookDelivery.Status: DatabaseValueConvertible {}

extension WebhookDelivery {
    static let joined = """
        webhook_deliveries AS delivery
        JOIN events AS event ON event.app_id = delivery.app_id AND event.id = delivery.event_id
        """

    static let columns = """
        delivery.webhook_id, event.id, event.app_id, event.name, event.created_at, event.data, event.context,
        delivery.status, delivery.attempts, delivery.next_attempt_at, delivery.last_status, delivery.last_error, delivery.delivered_at
        """

    init(reading columns: inout ColumnReader) throws {
        let webhookID: String = try columns.next()
        let event = Event(
            id: try columns.next(), appID: try columns.next(), name: Event.Name(rawValue: try columns.next()),
            createdAt: try columns.next(), data: try StoredJSON.value(try columns.next()),
            context: try StoredJSON.value(try columns.next()))
        self.init(
            webhookID: webhookID, event: event, status: try columns.next(), attempts: try columns.next(),
            nextAttemptAt: try columns.next(), lastStatus: try columns.next(), lastError: try columns.next(),
            deliveredAt: try columns.next())
    }
}

extension Database {
    /// Files a delivery of an event for each active webhook of its app that wants it.
    func fileDeliveries(of event: Event) throws {
        try run(
            """
            INSERT INTO webhook_deliveries (app_id, webhook_id, event_id, status, attempts, next_attempt_at)
            SELECT app_id, id, ?, 'pending', 0, ? FROM webhooks
            WHERE app_id = ? AND status = 'active' AND instr(events, ?) > 0
            """, [event.id, event.createdAt, event.appID, " \(event.name.rawValue) "])
    }

    func dueDeliveries(of webhook: Webhook, _ due: FactQuery.DueSelector) throws -> [WebhookDelivery] {
        try all(
            """
            SELECT \(WebhookDelivery.columns) FROM \(WebhookDelivery.joined)
            WHERE delivery.app_id = ? AND delivery.webhook_id = ? AND delivery.status = 'pending'
                AND delivery.next_attempt_at <= ?
            ORDER BY delivery.next_attempt_at, delivery.sequence LIMIT ?
            """, [webhook.appID, webhook.id, due.now, due.limit], as: WebhookDelivery.init(reading:))
    }

    func lease(_ delivery: WebhookDelivery, until: Timestamp) throws {
        try run(
            """
            UPDATE webhook_deliveries SET next_attempt_at = ?
            WHERE app_id = ? AND webhook_id = ? AND event_id = ? AND status = 'pending' AND next_attempt_at = ?
            """,
            [
                until, delivery.event.appID, delivery.webhookID, delivery.event.id, delivery.nextAttemptAt,
            ], orFail: .stale)
    }

    /// Does nothing if the delivery was deleted with its webhook or event.
    func record(_ delivery: WebhookDelivery, onlyIfPending: Bool) throws {
        try run(
            """
            UPDATE webhook_deliveries SET status = ?, attempts = ?, next_attempt_at = ?, last_status = ?,
                last_error = ?, delivered_at = ?
            WHERE app_id = ? AND webhook_id = ? AND event_id = ?\(onlyIfPending ? " AND status = 'pending'" : "")
            """,
            [
                delivery.status, delivery.attempts, delivery.nextAttemptAt, delivery.lastStatus, delivery.lastError,
                delivery.deliveredAt, delivery.event.appID, delivery.webhookID, delivery.event.id,
            ])
    }

    func failPendingDeliveries(of webhook: Webhook, error: String, limit: Int) throws {
        try run(
            """
            UPDATE webhook_deliveries SET status = 'failed', last_error = ?
            WHERE sequence IN (
                SELECT sequence FROM webhook_deliveries WHERE app_id = ? AND webhook_id = ? AND status = 'pending'
                ORDER BY next_attempt_at LIMIT ?)
            """, [error, webhook.appID, webhook.id, limit])
    }

    func deleteDeliveries(of webhook: Webhook, limit: Int) throws {
        try run(
            """
            DELETE FROM webhook_deliveries WHERE sequence IN (
                SELECT sequence FROM webhook_deliveries WHERE app_id = ? AND webhook_id = ? ORDER BY event_id LIMIT ?)
            """, [webhook.appID, webhook.id, limit])
    }
}

internal import SessionDomain

extension WebhookDelivery {
    static let joined = """
        webhook_deliveries AS delivery
        JOIN events AS event ON event.app_id = delivery.app_id AND event.id = delivery.event_id
        """

    static let columns = """
        delivery.webhook_id, event.id, event.app_id, event.name, event.created_at, event.data, event.context,
        delivery.status, delivery.attempts, delivery.next_attempt_at, delivery.last_status, delivery.last_error,
        delivery.delivered_at
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

    func lease(until: Timestamp) -> Statement {
        .guarded(
            """
            UPDATE webhook_deliveries SET next_attempt_at = $1
            WHERE app_id = $2 AND webhook_id = $3 AND event_id = $4 AND status = 'pending' AND next_attempt_at = $5
            """, [until, event.appID, webhookID, event.id, nextAttemptAt], orFail: .stale)
    }

    /// Does nothing if the delivery was deleted with its webhook or event.
    func record(onlyIfPending: Bool) -> Statement {
        Statement(
            """
            UPDATE webhook_deliveries SET status = $1, attempts = $2, next_attempt_at = $3, last_status = $4,
                last_error = $5, delivered_at = $6
            WHERE app_id = $7 AND webhook_id = $8 AND event_id = $9\(onlyIfPending ? " AND status = 'pending'" : "")
            """,
            [
                status, attempts, nextAttemptAt, lastStatus, lastError, deliveredAt, event.appID, webhookID, event.id,
            ])
    }
}

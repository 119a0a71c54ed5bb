internal import GRDB
internal import SessionDomain

extension Webhook.Status: DatabaseValueConvertible {}
extension WebhookDelivery.Status: DatabaseValueConvertible {}

extension Webhook {
    static let columns = "id, app_id, url, events, status, verification_token, created_at, updated_at"

    init(reading columns: inout ColumnReader) throws {
        let (id, appID, url, events): (String, AppID, String, String) = (
            try columns.next(), try columns.next(), try columns.next(), try columns.next()
        )
        self.init(
            id: id, appID: appID, url: url, events: events.split(separator: " ").map(String.init),
            status: try columns.next(), verificationToken: try columns.next(), createdAt: try columns.next(),
            updatedAt: try columns.next())
    }

    /// A space before and after each name, so that one is found as a whole.
    var storedEvents: String { " " + events.joined(separator: " ") + " " }
}

extension WebhookDelivery {
    /// Of `webhook_deliveries AS delivery` and `events AS event`.
    static let columns = """
        delivery.webhook_id, event.id, event.app_id, event.name, event.created_at, event.data, delivery.status,
        delivery.attempts, delivery.next_attempt_at, delivery.last_status, delivery.last_error, delivery.delivered_at
        """

    init(reading columns: inout ColumnReader) throws {
        let webhookID: String = try columns.next()
        let event = Event(
            id: try columns.next(), appID: try columns.next(), name: Event.Name(rawValue: try columns.next()),
            createdAt: try columns.next(), data: try StoredJSON.value(try columns.next()))
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
}

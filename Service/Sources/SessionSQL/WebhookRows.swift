package import SessionDomain

extension Webhook {
    private static let columns = "id, app_id, url, events, status, verification_token, created_at, updated_at"

    package static let byID = selecting("app_id = $1 AND id = $2")
    package static let count = "SELECT count(*) FROM webhooks WHERE app_id = $1"

    static func selecting(_ condition: String) -> String { "SELECT \(columns) FROM webhooks WHERE \(condition)" }

    package init(reading columns: inout ColumnReader) throws {
        let (id, appID, url, events): (String, AppID, String, String) = (
            try columns.next(), try columns.next(), try columns.next(), try columns.next()
        )
        self.init(
            id: id, appID: appID, url: url, events: events.split(separator: " ").map(String.init),
            status: try columns.next(), verificationToken: try columns.next(), createdAt: try columns.next(),
            updatedAt: try columns.next())
    }

    /// The names with a space before and after each, so that a search finds whole names.
    private var storedEvents: String { " " + events.joined(separator: " ") + " " }

    func insertion(expectedCount: Int) -> Statement {
        .guarded(
            """
            INSERT INTO webhooks (\(Self.columns))
            SELECT $1, $2, $3, $4, $5, $6, CAST($7 AS bigint), CAST($8 AS bigint)
            WHERE (SELECT count(*) FROM webhooks WHERE app_id = $2) = CAST($9 AS bigint)
            """, [id, appID, url, storedEvents, status, verificationToken, createdAt, updatedAt, expectedCount],
            orFail: .stale)
    }

    /// Writes url, events, status and time of change.
    func replacement(with new: Webhook) -> Statement {
        .guarded(
            """
            UPDATE webhooks SET url = $1, events = $2, status = $3, updated_at = $4
            WHERE app_id = $5 AND id = $6 AND url = $7 AND events = $8 AND status = $9 AND updated_at = $10
            """,
            [
                new.url, new.storedEvents, new.status, new.updatedAt, appID, id, url, storedEvents, status, updatedAt,
            ], orFail: .stale)
    }

    var deletion: Statement {
        .guarded("DELETE FROM webhooks WHERE app_id = $1 AND id = $2", [appID, id], orFail: .stale)
    }

    /// Deliveries that are due at the same time fail together. A range of the index finds them, whatever PostgreSQL knows about
    /// the table. The limit is part of the text, because the server plans without values.
    func pendingFailure(_ error: String, limit: Int) -> Statement {
        Statement(
            """
            UPDATE webhook_deliveries SET status = 'failed', last_error = $1
            WHERE app_id = $2 AND webhook_id = $3 AND status = 'pending' AND next_attempt_at <= (
                SELECT max(next_attempt_at) FROM (
                    SELECT next_attempt_at FROM webhook_deliveries
                    WHERE app_id = $2 AND webhook_id = $3 AND status = 'pending'
                    ORDER BY next_attempt_at LIMIT \(limit)) AS part)
            """, [error, appID, id])
    }

    /// PostgreSQL has an index of the deliveries of a webhook in the order of their sequence, SQLite in that of their events.
    func deletionOfDeliveries(limit: Int, _ dialect: Dialect) -> Statement {
        let order = dialect == .sqlite ? "event_id" : "sequence"
        return Statement(
            """
            DELETE FROM webhook_deliveries WHERE app_id = $1 AND webhook_id = $2 AND \(order) <= (
                SELECT max(\(order)) FROM (
                    SELECT \(order) FROM webhook_deliveries
                    WHERE app_id = $1 AND webhook_id = $2 ORDER BY \(order) LIMIT \(limit)) AS part)
            """, [appID, id])
    }
}

extension WebhookDelivery {
    private static let joined = """
        webhook_deliveries AS delivery
        JOIN events AS event ON event.app_id = delivery.app_id AND event.id = delivery.event_id
        """

    private static let columns = """
        delivery.webhook_id, event.id, event.app_id, event.name, event.created_at, event.data, event.context,
        delivery.status, delivery.attempts, delivery.next_attempt_at, delivery.last_status, delivery.last_error,
        delivery.delivered_at
        """

    /// - Parameter condition: About `delivery`. `$1` is the app, and `$2` the webhook.
    static func selecting(_ condition: String) -> String {
        "SELECT \(columns) FROM \(joined) WHERE delivery.app_id = $1 AND delivery.webhook_id = $2 \(condition)"
    }

    /// The deliveries that are due at `$3`, at most `$4`. In PostgreSQL it leaves out what another node claims now.
    package static func due(_ dialect: Dialect) -> String {
        selecting("AND delivery.status = 'pending' AND delivery.next_attempt_at <= $3")
            + " ORDER BY delivery.next_attempt_at, delivery.sequence LIMIT $4"
            + (dialect == .postgres ? " FOR NO KEY UPDATE OF delivery SKIP LOCKED" : "")
    }

    package init(reading columns: inout ColumnReader) throws {
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

extension SQLStore {
    package func webhooks(app: AppID) async throws -> [Webhook] {
        try await webhooks("app_id = $1 ORDER BY created_at, id", [app])
    }

    package func webhook(_ id: String, app: AppID) async throws -> Webhook? {
        try await first(Statement(Webhook.byID, [app, id]), Webhook.init(reading:))
    }

    package func dueWebhooks(now: Timestamp) async throws -> [Webhook] {
        try await webhooks(
            """
            status = 'active' AND EXISTS (
                SELECT 1 FROM webhook_deliveries AS delivery
                WHERE delivery.app_id = webhooks.app_id AND delivery.webhook_id = webhooks.id
                    AND delivery.status = 'pending' AND delivery.next_attempt_at <= $1)
            ORDER BY app_id, id
            """, [now])
    }

    private func webhooks(_ condition: String, _ values: [(any ColumnValue)?]) async throws -> [Webhook] {
        try await all(Statement(Webhook.selecting(condition), values), Webhook.init(reading:))
    }

    package func deliveries(
        of webhookID: String, app: AppID, limit: Int, offset: Int
    ) async throws -> [WebhookDelivery] {
        let deliveries = Statement(
            WebhookDelivery.selecting("ORDER BY delivery.sequence DESC, delivery.event_id DESC LIMIT $3 OFFSET $4"),
            [app, webhookID, limit, offset])
        return try await all(deliveries, WebhookDelivery.init(reading:))
    }

    package func deliveries(
        of webhookID: String, app: AppID, after eventID: String, limit: Int
    ) async throws -> [WebhookDelivery]? {
        let one = "app_id = $1 AND webhook_id = $2 AND event_id = $3"
        let place = Statement("SELECT 1 FROM webhook_deliveries WHERE \(one)", [app, webhookID, eventID])
        let deliveries = Statement(
            WebhookDelivery.selecting(
                """
                AND (delivery.sequence, delivery.event_id) <
                    (SELECT sequence, event_id FROM webhook_deliveries WHERE \(one))
                ORDER BY delivery.sequence DESC, delivery.event_id DESC LIMIT $4
                """), [app, webhookID, eventID, limit])
        return try await read([place, deliveries]) { rows in
            try rows[0].isEmpty() ? nil : try rows[1].all(WebhookDelivery.init(reading:))
        }
    }

    package func hasDeliveries(of webhookID: String, app: AppID, moreThan count: Int) async throws -> Bool {
        // The order is that of an index of PostgreSQL, which the server takes for it.
        let order = dialect == .sqlite ? "" : "ORDER BY sequence"
        let place = Statement(
            "SELECT 1 FROM webhook_deliveries WHERE app_id = $1 AND webhook_id = $2 \(order) LIMIT 1 OFFSET $3",
            [app, webhookID, count])
        return try await first(place) { _ in } != nil
    }
}

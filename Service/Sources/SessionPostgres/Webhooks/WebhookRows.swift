internal import SessionDomain

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

    /// The names with a space before and after each, so that a search finds whole names.
    private var storedEvents: String { " " + events.joined(separator: " ") + " " }

    func insertion(expectedCount: Int) -> Statement {
        .guarded(
            """
            INSERT INTO webhooks (\(Self.columns)) SELECT $1, $2, $3, $4, $5, $6, $7::bigint, $8::bigint
            WHERE (SELECT count(*) FROM webhooks WHERE app_id = $2) = $9::bigint
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

    /// Deliveries that are due at the same time fail together. A range of the index finds them, whatever the server knows about
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

    func deletionOfDeliveries(limit: Int) -> Statement {
        Statement(
            """
            DELETE FROM webhook_deliveries WHERE app_id = $1 AND webhook_id = $2 AND sequence <= (
                SELECT max(sequence) FROM (
                    SELECT sequence FROM webhook_deliveries
                    WHERE app_id = $1 AND webhook_id = $2 ORDER BY sequence LIMIT \(limit)) AS part)
            """, [appID, id])
    }
}

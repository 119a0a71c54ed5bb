package import SessionDomain
internal import SessionTokens

extension SequencedEvent {
    package static let columns = "sequence, app_id, id, name, created_at, data, context"
    package static let last = "SELECT max(sequence) FROM events"

    package init(reading columns: inout ColumnReader) throws {
        let (sequence, app, id): (Int64, AppID, String) = (try columns.next(), try columns.next(), try columns.next())
        self.init(
            sequence: sequence,
            event: Event(
                id: id, appID: app, name: Event.Name(rawValue: try columns.next()), createdAt: try columns.next(),
                data: try StoredJSON.value(try columns.next()), context: try StoredJSON.value(try columns.next())))
    }
}

extension Event {
    /// Appends an event and files a delivery for each active webhook that wants it, in the transaction of what it reports.
    func insertions(_ order: WriteOrder) -> [Statement] {
        [
            Statement(
                """
                INSERT INTO events (app_id, id, name, created_at, data, user_id, context\(order.column))
                VALUES (\(Statement.parameters(7))\(order.expression(8)))
                """,
                [appID, id, name.rawValue, createdAt, StoredJSON.text(data), userID, StoredJSON.text(context)]
                    + order.values),
            Statement(
                """
                INSERT INTO webhook_deliveries
                    (app_id, webhook_id, event_id, status, attempts, next_attempt_at\(order.column))
                SELECT app_id, id, $1, 'pending', 0, CAST($2 AS bigint)\(order.expression(3)) FROM webhooks
                WHERE app_id = $\(3 + order.values.count) AND status = 'active'
                    AND \(order.dialect.contains("events", "$\(4 + order.values.count)"))
                """, [id, createdAt] + order.values + [appID, " \(name.rawValue) "]),
        ]
    }

    static func forgetting(
        ofUser userID: String, as pseudonym: String, app: AppID, _ dialect: Dialect
    ) -> [Statement] {
        let (kept, client) = (["user_id": JSONValue.string(pseudonym)], EventContext.forgottenClient)
        let index = dialect.by("events_by_user")
        return [
            Statement(
                """
                DELETE FROM webhook_deliveries WHERE app_id = $1 AND status = 'pending' AND event_id IN (
                    SELECT id FROM events\(index) WHERE app_id = $1 AND user_id = $2)
                """, [app, userID]),
            Statement(
                """
                UPDATE events\(index) SET data = $1, user_id = $2,
                    context = CASE WHEN substr(context, 1, length(CAST($3 AS text))) = $3 THEN $4 ELSE context END
                WHERE app_id = $5 AND user_id = $6
                """, [StoredJSON.text(kept), pseudonym, String(client.dropLast()), client, app, userID]),
        ]
    }
}

extension SQLStore {
    package func lastEventSequence() async throws -> Int64 {
        try await first(Statement(SequencedEvent.last)) { try $0.next() as Int64? }.flatMap(\.self) ?? 0
    }
}

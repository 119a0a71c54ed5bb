internal import SessionDomain
internal import SessionTokens

extension SequencedEvent {
    static let columns = "sequence, app_id, id, name, created_at, data, context"

    init(reading columns: inout ColumnReader) throws {
        self.init(
            sequence: try columns.next(),
            event: try Event(
                appID: try columns.next(), id: try columns.next(), name: Event.Name(rawValue: try columns.next()),
                createdAt: try columns.next(), data: try columns.next(), context: try columns.next()))
    }
}

extension Event {
    fileprivate init(
        appID: AppID, id: String, name: Name, createdAt: Timestamp, data: String, context: String
    ) throws {
        self.init(
            id: id, appID: appID, name: name, createdAt: createdAt, data: try StoredJSON.value(data),
            context: try StoredJSON.value(context))
    }

    /// Appends an event and files a delivery for each active webhook that wants it.
    func insertions(_ order: WriteOrder) throws -> [Statement] {
        [
            Statement(
                """
                INSERT INTO events (app_id, id, name, created_at, data, user_id, context, sequence)
                VALUES ($1, $2, $3, $4, $5, $6, $7, \(WriteOrder.sequence("$8")))
                """,
                [
                    appID, id, name.rawValue, createdAt, try StoredJSON.text(data), userID,
                    StoredJSON.text(context), order.position,
                ]),
            Statement(
                """
                INSERT INTO webhook_deliveries (app_id, webhook_id, event_id, status, attempts, next_attempt_at, sequence)
                SELECT app_id, id, $1, 'pending', 0, $2::bigint, \(WriteOrder.sequence("$5")) FROM webhooks
                WHERE app_id = $3 AND status = 'active' AND position($4 IN events) > 0
                """, [id, createdAt, appID, " \(name.rawValue) ", order.position]),
        ]
    }

    static func forgetting(ofUser userID: String, as pseudonym: String, app: AppID) throws -> [Statement] {
        let (kept, client) = (["user_id": JSONValue.string(pseudonym)], EventContext.forgottenClient)
        return [
            Statement(
                """
                DELETE FROM webhook_deliveries WHERE app_id = $1 AND status = 'pending' AND event_id IN (
                    SELECT id FROM events WHERE app_id = $1 AND user_id = $2)
                """, [app, userID]),
            Statement(
                """
                UPDATE events SET data = $3, user_id = $4,
                    context = CASE WHEN left(context, length($5::text)) = $5 THEN $6 ELSE context END
                WHERE app_id = $1 AND user_id = $2
                """, [app, userID, try StoredJSON.text(kept), pseudonym, String(client.dropLast()), client]),
        ]
    }
}

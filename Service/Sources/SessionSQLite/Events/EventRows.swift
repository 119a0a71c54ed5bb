internal import GRDB
package import SessionDomain
internal import SessionTokens

extension Database {
    /// Appends an event and files its deliveries, in the transaction of what it reports.
    func append(_ event: Event) throws {
        try run(
            "INSERT INTO events (app_id, id, name, created_at, data, user_id, context) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                event.appID, event.id, event.name.rawValue, event.createdAt, StoredJSON.text(event.data),
                event.userID, StoredJSON.text(event.context),
            ])
        try fileDeliveries(of: event)
    }

    func forgetEvents(ofUser userID: String, as pseudonym: String, app: AppID) throws {
        try run(
            """
            DELETE FROM webhook_deliveries WHERE app_id = ? AND status = 'pending' AND event_id IN (
                SELECT id FROM events INDEXED BY events_by_user WHERE app_id = ? AND user_id = ?)
            """, [app, app, userID])
        let (kept, client) = (["user_id": JSONValue.string(pseudonym)], EventContext.forgottenClient)
        try run(
            """
            UPDATE events INDEXED BY events_by_user SET data = ?, user_id = ?,
                context = CASE WHEN substr(context, 1, ?) = ? THEN ? ELSE context END
            WHERE app_id = ? AND user_id = ?
            """,
            [
                StoredJSON.text(kept), pseudonym, client.utf8.count - 1, String(client.dropLast()), client, app, userID,
            ])
    }
}

extension SQLiteStore: EventStore {
    package func events(_ query: EventQuery) async throws -> [Event]? {
        try await read { db in try db.events(query)?.map(\.event) }
    }

    package func events(app: AppID?, after sequence: Int64, limit: Int) async throws -> [SequencedEvent] {
        try await read { db in
            // The plus keeps SQLite from choosing an index of the app, which would read all its events.
            let condition = app == nil ? "" : "AND +app_id = ?"
            let arguments = StatementValues([sequence] + (app.map { [$0] } ?? []) + [limit])
            return try db.all(
                "SELECT \(SequencedEvent.columns) FROM events WHERE sequence > ? \(condition) ORDER BY sequence LIMIT ?",
                arguments, as: SequencedEvent.init(reading:))
        }
    }

    package func lastEventSequence() async throws -> Int64 {
        try await read { db in try db.first("SELECT max(sequence) FROM events") { try $0.next() as Int64? } ?? nil }
            ?? 0
    }

    /// Writes follow each other.
    package var eventLateness: Int64 { 0 }

    package func deleteEvents(
        of app: AppID, until: Timestamp, pendingUntil: Timestamp, limit: Int
    ) async throws -> Int {
        try await writer.perform { db in
            .keep(
                try db.run(
                    """
                    DELETE FROM events WHERE sequence IN (
                        SELECT sequence FROM events INDEXED BY events_by_time
                        WHERE app_id = ? AND created_at <= ? AND (
                            created_at <= ? OR NOT EXISTS (
                                SELECT 1 FROM webhook_deliveries AS delivery
                                WHERE delivery.app_id = events.app_id AND delivery.event_id = events.id
                                    AND delivery.status = 'pending'))
                        LIMIT ?)
                    """, [app, until, pendingUntil, limit]))
        }
    }
}

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
}

internal import GRDB
package import SessionDomain
internal import SessionTokens

extension Database {
    /// Appends an event and files its deliveries, in the transaction of what it reports.
    func append(_ event: Event) throws {
        try run(
            "INSERT INTO events (app_id, id, name, created_at, data) VALUES (?, ?, ?, ?, ?)",
            [event.appID, event.id, event.name.rawValue, event.createdAt, try StoredJSON.text(event.data)])
        try fileDeliveries(of: event)
    }
}

extension SQLiteStore: EventStore {
    package func events(app: AppID, limit: Int, offset: Int) async throws -> [Event] {
        try await read { db in
            try db.all(
                """
                SELECT id, name, created_at, data FROM events WHERE app_id = ?
                ORDER BY sequence DESC LIMIT ? OFFSET ?
                """, [app, limit, offset]
            ) { columns in
                Event(
                    id: try columns.next(), appID: app, name: Event.Name(rawValue: try columns.next()),
                    createdAt: try columns.next(), data: try StoredJSON.value(try columns.next()))
            }
        }
    }
}

internal import GRDB
package import SessionDomain

extension QueuedMessage.Status: DatabaseValueConvertible {}

extension QueuedMessage {
    static let columns = "id, app_id, type, canonical, value, content, context, created_at, expires_at, \(stateColumns)"
    /// What claims and attempts change.
    static let stateColumns = "status, route, rejected_routes, attempts, next_attempt_at, last_failure"

    init(reading columns: inout ColumnReader) throws {
        let (id, appID): (String, AppID) = (try columns.next(), try columns.next())
        let recipient = CanonicalIdentifier(
            type: try columns.next(), canonical: try columns.next(), value: try columns.next())
        let content: MessageContent = try StoredJSON.value(try columns.next())
        let context: EventContext = try StoredJSON.value(try columns.next())
        let (createdAt, expiresAt): (Timestamp, Timestamp) = (try columns.next(), try columns.next())
        self = try QueuedMessage(
            id: id, appID: appID, recipient: recipient, content: content, context: context, createdAt: createdAt,
            expiresAt: expiresAt
        ).reading(state: &columns)
    }

    /// The same message in the state that is stored.
    func reading(state columns: inout ColumnReader) throws -> QueuedMessage {
        var message = self
        message.status = try columns.next()
        message.route = try columns.next()
        let rejected: String = try columns.next()
        message.rejectedRoutes = rejected == "[]" ? [] : try StoredJSON.value(rejected)
        message.attempts = try columns.next()
        message.nextAttemptAt = try columns.next()
        let failure: String? = try columns.next()
        message.lastFailure = try failure.map { try StoredJSON.value($0) }
        return message
    }
}

extension Database {
    func message(_ selector: FactQuery.MessageSelector, app: AppID) throws -> QueuedMessage? {
        switch selector {
        case .id(let id):
            try first(
                "SELECT \(QueuedMessage.columns) FROM messages WHERE app_id = ? AND id = ?", [app, id],
                as: QueuedMessage.init(reading:))
        case .state(let known):
            try first(
                "SELECT \(QueuedMessage.stateColumns) FROM messages WHERE app_id = ? AND id = ?", [app, known.id],
                as: known.reading(state:))
        case .due(let lane, let times):
            try first(
                """
                SELECT \(QueuedMessage.columns) FROM messages INDEXED BY messages_due
                WHERE app_id = ? AND type = ? AND route = ? AND status = 'pending'
                    AND (next_attempt_at <= ? OR next_attempt_at > ?)
                ORDER BY next_attempt_at LIMIT 1
                """, [app, lane.channel.identifierType, lane.route, times.now, times.horizon],
                as: QueuedMessage.init(reading:))
        }
    }

    func insert(_ message: QueuedMessage) throws {
        let recipient = message.recipient
        try run(
            "INSERT INTO messages (\(QueuedMessage.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                message.id, message.appID, recipient.type, recipient.canonical, recipient.value,
                StoredJSON.text(message.content), StoredJSON.text(message.context), message.createdAt,
                message.expiresAt, message.status, message.route, try StoredJSON.text(message.rejectedRoutes),
                message.attempts, message.nextAttemptAt, try message.lastFailure.map(StoredJSON.text),
            ])
    }

    /// Writes what claims and attempts change.
    func replace(_ old: QueuedMessage, with new: QueuedMessage) throws {
        try run(
            """
            UPDATE messages SET status = ?, route = ?, rejected_routes = ?, attempts = ?, next_attempt_at = ?,
                last_failure = ?
            WHERE app_id = ? AND id = ? AND status = 'pending' AND next_attempt_at = ?
            """,
            [
                new.status, new.route, try StoredJSON.text(new.rejectedRoutes), new.attempts,
                new.nextAttemptAt, try new.lastFailure.map(StoredJSON.text), old.appID, old.id, old.nextAttemptAt,
            ], orFail: .stale)
    }

    func delete(_ message: QueuedMessage) throws {
        try run(
            "DELETE FROM messages WHERE app_id = ? AND id = ? AND status = 'pending' AND next_attempt_at = ?",
            [message.appID, message.id, message.nextAttemptAt], orFail: .stale)
    }

    /// Reads all messages of the app: a message lives for a day at most.
    func deleteMessages(ofUser userID: String, app: AppID) throws {
        try run(
            "DELETE FROM messages WHERE app_id = ? AND instr(content, ?) > 0",
            [app, MessageContent.naming(user: userID)])
    }
}

extension SQLiteStore: MessageStore {
    package func dueMessages(at times: DueTimes) async throws -> [(lane: MessageLane, count: Int)] {
        try await read { db in
            try db.all(
                """
                SELECT app_id, type, route, count(*) FROM messages INDEXED BY messages_due
                WHERE status = 'pending' AND (next_attempt_at <= ? OR next_attempt_at > ?)
                GROUP BY app_id, type, route ORDER BY min(next_attempt_at), app_id, type, route
                """, [times.now, times.horizon]
            ) { columns in
                let (app, type): (AppID, IdentifierType) = (try columns.next(), try columns.next())
                return (
                    lane: MessageLane(appID: app, channel: .init(reaching: type), route: try columns.next()),
                    count: try columns.next()
                )
            }
        }
    }
}

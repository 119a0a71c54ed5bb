package import SessionDomain

extension QueuedMessage {
    private static let columns =
        "id, app_id, type, canonical, value, content, context, created_at, expires_at, \(stateColumns)"
    /// What claims and attempts change.
    private static let stateColumns = "status, route, rejected_routes, attempts, next_attempt_at, last_failure"

    private init(reading columns: inout ColumnReader) throws {
        let (id, appID): (String, AppID) = (try columns.next(), try columns.next())
        let recipient = try CanonicalIdentifier(reading: &columns)
        let content: MessageContent = try StoredJSON.value(try columns.next())
        let context: EventContext = try StoredJSON.value(try columns.next())
        let (createdAt, expiresAt): (Timestamp, Timestamp) = (try columns.next(), try columns.next())
        self = try QueuedMessage(
            id: id, appID: appID, recipient: recipient, content: content, context: context, createdAt: createdAt,
            expiresAt: expiresAt
        ).reading(state: &columns)
    }

    /// The same message in the state that is stored.
    private func reading(state columns: inout ColumnReader) throws -> QueuedMessage {
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

    /// The statement for a message that an intent reads, and how its row is read. PostgreSQL locks the row, and leaves out a
    /// message that another node claims now.
    package static func reading(
        _ selector: FactQuery.MessageSelector, app: AppID, _ dialect: Dialect
    ) -> (statement: Statement, read: @Sendable (inout ColumnReader) throws -> QueuedMessage) {
        let isPostgres = dialect == .postgres
        let lock = isPostgres ? " FOR NO KEY UPDATE" : ""
        switch selector {
        case .id(let id):
            let sql = "SELECT \(columns) FROM messages WHERE app_id = $1 AND id = $2\(lock)"
            return (Statement(sql, [app, id]), { try QueuedMessage(reading: &$0) })
        case .state(let known):
            let sql = "SELECT \(stateColumns) FROM messages WHERE app_id = $1 AND id = $2\(lock)"
            return (Statement(sql, [app, known.id]), { try known.reading(state: &$0) })
        case .due(let queue, let times):
            let sql = """
                SELECT \(columns) FROM messages\(dialect.by("messages_due"))
                WHERE app_id = $1 AND type = $2 AND route = $3 AND status = 'pending'
                    AND (next_attempt_at <= $4 OR next_attempt_at > $5)
                ORDER BY next_attempt_at\(isPostgres ? ", id" : "") LIMIT 1\(isPostgres ? "\(lock) SKIP LOCKED" : "")
                """
            return (
                Statement(sql, [app, queue.channel.identifierType, queue.route, times.now, times.horizon]),
                { try QueuedMessage(reading: &$0) }
            )
        }
    }

    func insertion(_ dialect: Dialect) throws -> Statement {
        let values: [(any ColumnValue)?] = [
            id, appID, recipient.type, recipient.canonical, recipient.value, StoredJSON.text(content),
            StoredJSON.text(context), createdAt, expiresAt, status, route, try StoredJSON.text(rejectedRoutes),
            attempts, nextAttemptAt, try lastFailure.map(StoredJSON.text),
        ]
        return dialect == .sqlite
            ? Statement("INSERT INTO messages (\(Self.columns)) VALUES (\(Statement.parameters(15)))", values)
            : Statement(
                "INSERT INTO messages (\(Self.columns), has_code) VALUES (\(Statement.parameters(16)))",
                values + [content.code != nil])
    }

    /// Writes what claims and attempts change.
    func replacement(with new: QueuedMessage) throws -> Statement {
        .guarded(
            """
            UPDATE messages SET status = $1, route = $2, rejected_routes = $3, attempts = $4, next_attempt_at = $5,
                last_failure = $6
            WHERE app_id = $7 AND id = $8 AND status = 'pending' AND next_attempt_at = $9
            """,
            [
                new.status, new.route, try StoredJSON.text(new.rejectedRoutes), new.attempts,
                new.nextAttemptAt, try new.lastFailure.map(StoredJSON.text), appID, id, nextAttemptAt,
            ], orFail: .stale)
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM messages WHERE app_id = $1 AND id = $2 AND status = 'pending' AND next_attempt_at = $3",
            [appID, id, nextAttemptAt], orFail: .stale)
    }

    /// Reads all messages of the app: a message lives for a day at most.
    static func deletion(ofUser userID: String, app: AppID, _ dialect: Dialect) -> Statement {
        Statement(
            "DELETE FROM messages WHERE app_id = $1 AND \(dialect.contains("content", "$2"))",
            [app, MessageContent.naming(user: userID)])
    }
}

extension SQLStore {
    package func dueMessages(at times: DueTimes) async throws -> [(queue: MessageQueue, count: Int)] {
        let queues = Statement(
            """
            SELECT app_id, type, route, count(*) FROM messages\(dialect.by("messages_due"))
            WHERE status = 'pending' AND (next_attempt_at <= $1 OR next_attempt_at > $2)
            GROUP BY app_id, type, route ORDER BY min(next_attempt_at), app_id, type, route
            """, [times.now, times.horizon])
        return try await all(queues) { columns in
            let (app, type): (AppID, IdentifierType) = (try columns.next(), try columns.next())
            return (
                queue: MessageQueue(appID: app, channel: .init(reaching: type), route: try columns.next()),
                count: try columns.next()
            )
        }
    }
}

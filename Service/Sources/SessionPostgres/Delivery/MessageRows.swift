internal import SessionDomain

extension QueuedMessage {
    static let columns = "id, app_id, type, canonical, value, content, context, created_at, expires_at, \(stateColumns)"
    /// What claims and attempts change.
    static let stateColumns = "status, route, rejected_routes, attempts, next_attempt_at, last_failure"

    init(reading columns: inout ColumnReader) throws {
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
    func reading(state columns: inout ColumnReader) throws -> QueuedMessage {
        var message = self
        message.status = try columns.next()
        message.route = try columns.next()
        message.rejectedRoutes = try StoredJSON.value(try columns.next())
        message.attempts = try columns.next()
        message.nextAttemptAt = try columns.next()
        let failure: String? = try columns.next()
        message.lastFailure = try failure.map { try StoredJSON.value($0) }
        return message
    }

    func insertion() throws -> Statement {
        Statement(
            """
            INSERT INTO messages (\(Self.columns), has_code)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            """,
            [
                id, appID, recipient.type, recipient.canonical, recipient.value, StoredJSON.text(content),
                StoredJSON.text(context), createdAt, expiresAt, status, route,
                try StoredJSON.text(rejectedRoutes), attempts, nextAttemptAt,
                try lastFailure.map(StoredJSON.text), content.code != nil,
            ])
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM messages WHERE app_id = $1 AND id = $2 AND status = 'pending' AND next_attempt_at = $3",
            [appID, id, nextAttemptAt], orFail: .stale)
    }

    /// Reads all messages of the app: a message lives for a day at most.
    static func deletion(ofUser userID: String, app: AppID) -> Statement {
        Statement(
            "DELETE FROM messages WHERE app_id = $1 AND position($2 IN content) > 0",
            [app, MessageContent.naming(user: userID)])
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
}

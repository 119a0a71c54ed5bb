internal import GRDB
internal import SessionDomain

extension Webhook.Status: DatabaseValueConvertible {}

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

    /// The names with a space before and after each, so that `instr` finds whole names.
    var storedEvents: String { " " + events.joined(separator: " ") + " " }
}

extension Database {
    func webhook(_ id: String, app: AppID) throws -> Webhook? {
        try first(
            "SELECT \(Webhook.columns) FROM webhooks WHERE app_id = ? AND id = ?", [app, id],
            as: Webhook.init(reading:))
    }

    func webhookCount(of app: AppID) throws -> Int {
        try count("SELECT count(*) FROM webhooks WHERE app_id = ?", [app])
    }

    func insert(_ webhook: Webhook, expectedCount: Int) throws {
        try run(
            """
            INSERT INTO webhooks (\(Webhook.columns)) SELECT ?, ?, ?, ?, ?, ?, ?, ?
            WHERE (SELECT count(*) FROM webhooks WHERE app_id = ?) = ?
            """,
            [
                webhook.id, webhook.appID, webhook.url, webhook.storedEvents, webhook.status,
                webhook.verificationToken, webhook.createdAt, webhook.updatedAt, webhook.appID, expectedCount,
            ], orFail: .stale)
    }

    /// Writes url, events, status and time of change.
    func replace(_ old: Webhook, with new: Webhook) throws {
        try run(
            """
            UPDATE webhooks SET url = ?, events = ?, status = ?, updated_at = ?
            WHERE app_id = ? AND id = ? AND url = ? AND events = ? AND status = ? AND updated_at = ?
            """,
            [
                new.url, new.storedEvents, new.status, new.updatedAt, old.appID, old.id, old.url, old.storedEvents,
                old.status, old.updatedAt,
            ], orFail: .stale)
    }

    func delete(_ webhook: Webhook) throws {
        try run("DELETE FROM webhooks WHERE app_id = ? AND id = ?", [webhook.appID, webhook.id], orFail: .stale)
    }
}

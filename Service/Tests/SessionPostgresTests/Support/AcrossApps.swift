/// The statements that are for no single app: housekeeping, workers, and commands of operators. No request waits for them.
enum AcrossApps {
    static func contains(_ statement: String) -> Bool {
        beginnings.contains { statement.hasPrefix($0) }
    }

    private static let beginnings = [
        // Housekeeping deletes what has expired.
        "WITH chosen AS MATERIALIZED (",
        // OutboxWorkers look for what is due.
        "SELECT app_id, type, route, count(*) FROM messages",
        "SELECT id, app_id, url, events, status, verification_token, created_at, updated_at FROM webhooks WHERE status =",
        // A command follows the events of all apps.
        "SELECT max(sequence) FROM events",
    ]
}

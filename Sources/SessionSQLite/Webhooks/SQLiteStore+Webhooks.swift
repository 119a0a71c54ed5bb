internal import GRDB
package import SessionDomain

extension SQLiteStore: WebhookStore {
    package func insertWebhook(_ webhook: Webhook) async throws -> Bool {
        try await write { db in
            try db.run(
                """
                INSERT INTO webhooks (\(Webhook.columns)) SELECT ?, ?, ?, ?, ?, ?, ?, ?
                WHERE (SELECT count(*) FROM webhooks WHERE app_id = ?) < ?
                """,
                [
                    webhook.id, webhook.appID, webhook.url, webhook.storedEvents, webhook.status,
                    webhook.verificationToken, webhook.createdAt, webhook.updatedAt, webhook.appID,
                    Webhook.maximumPerApp,
                ]) == 1
        }
    }

    package func webhooks(app: AppID) async throws -> [Webhook] {
        try await read { db in
            try db.all(
                "SELECT \(Webhook.columns) FROM webhooks WHERE app_id = ? ORDER BY created_at, id", [app],
                as: Webhook.init(reading:))
        }
    }

    package func webhook(_ id: String, app: AppID) async throws -> Webhook? {
        try await read { db in
            try db.first(
                "SELECT \(Webhook.columns) FROM webhooks WHERE app_id = ? AND id = ?", [app, id],
                as: Webhook.init(reading:))
        }
    }

    package func updateWebhook(_ webhook: Webhook) async throws -> Bool {
        try await write { db in
            if webhook.status != .active {
                try db.run(
                    """
                    UPDATE webhook_deliveries SET status = 'failed', last_error = 'the webhook was changed'
                    WHERE app_id = ? AND webhook_id = ? AND status = 'pending'
                    """, [webhook.appID, webhook.id])
            }
            return try db.run(
                "UPDATE webhooks SET url = ?, events = ?, status = ?, updated_at = ? WHERE app_id = ? AND id = ?",
                [
                    webhook.url, webhook.storedEvents, webhook.status, webhook.updatedAt, webhook.appID, webhook.id,
                ]) == 1
        }
    }

    package func activateWebhook(_ id: String, app: AppID, url: String, now: Timestamp) async throws -> Bool {
        try await write { db in
            try db.run(
                "UPDATE webhooks SET status = 'active', updated_at = ? WHERE app_id = ? AND id = ? AND url = ?",
                [now, app, id, url]) == 1
        }
    }

    package func deleteWebhook(_ id: String, app: AppID) async throws -> Bool {
        try await write { db in
            try db.run("DELETE FROM webhooks WHERE app_id = ? AND id = ?", [app, id]) == 1
        }
    }
}

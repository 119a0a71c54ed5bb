internal import GRDB
package import SessionDomain

extension SQLiteStore {
    private static let joined = """
        webhook_deliveries AS delivery
        JOIN events AS event ON event.app_id = delivery.app_id AND event.id = delivery.event_id
        """

    package func deliveries(
        of webhookID: String, app: AppID, limit: Int, offset: Int
    ) async throws -> [WebhookDelivery] {
        try await read { db in
            try db.all(
                """
                SELECT \(WebhookDelivery.columns) FROM \(Self.joined)
                WHERE delivery.app_id = ? AND delivery.webhook_id = ?
                ORDER BY delivery.sequence DESC LIMIT ? OFFSET ?
                """, [app, webhookID, limit, offset], as: WebhookDelivery.init(reading:))
        }
    }

    package func dueWebhooks(now: Timestamp) async throws -> [Webhook] {
        try await read { db in
            try db.all(
                """
                SELECT \(Webhook.columns) FROM webhooks WHERE status = 'active' AND EXISTS (
                    SELECT 1 FROM webhook_deliveries AS delivery
                    WHERE delivery.app_id = webhooks.app_id AND delivery.webhook_id = webhooks.id
                        AND delivery.status = 'pending' AND delivery.next_attempt_at <= ?)
                ORDER BY app_id, id
                """, [now], as: Webhook.init(reading:))
        }
    }

    package func claimDeliveries(
        of webhook: Webhook, now: Timestamp, leaseEnd: Timestamp, limit: Int
    ) async throws -> [WebhookDelivery] {
        try await write { db in
            let claimed = try db.all(
                """
                SELECT \(WebhookDelivery.columns) FROM \(Self.joined)
                WHERE delivery.app_id = ? AND delivery.webhook_id = ? AND delivery.status = 'pending'
                    AND delivery.next_attempt_at <= ? AND EXISTS (
                        SELECT 1 FROM webhooks WHERE app_id = ? AND id = ? AND status = 'active' AND url = ?)
                ORDER BY delivery.next_attempt_at, delivery.sequence LIMIT ?
                """, [webhook.appID, webhook.id, now, webhook.appID, webhook.id, webhook.url, limit],
                as: WebhookDelivery.init(reading:))
            for delivery in claimed {
                var leased = delivery
                leased.nextAttemptAt = leaseEnd
                try db.update(leased)
            }
            return claimed
        }
    }

    package func record(_ deliveries: [WebhookDelivery]) async throws {
        try await write { db in
            for delivery in deliveries { try db.update(delivery) }
        }
    }
}

extension Database {
    fileprivate func update(_ delivery: WebhookDelivery) throws {
        try run(
            """
            UPDATE webhook_deliveries SET status = ?, attempts = ?, next_attempt_at = ?, last_status = ?,
                last_error = ?, delivered_at = ?
            WHERE app_id = ? AND webhook_id = ? AND event_id = ?
            """,
            [
                delivery.status, delivery.attempts, delivery.nextAttemptAt, delivery.lastStatus, delivery.lastError,
                delivery.deliveredAt, delivery.event.appID, delivery.webhookID, delivery.event.id,
            ])
    }
}

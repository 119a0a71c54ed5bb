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

    package func claimDeliveries(
        now: Timestamp, leaseEnd: Timestamp, limit: Int
    ) async throws -> [ClaimedDelivery] {
        // Most rounds find nothing, and a write would cost a commit.
        guard try await isAnythingDue(now) else { return [] }
        return try await write { db in
            let claimed = try db.all(
                """
                SELECT \(WebhookDelivery.columns), webhook.url FROM \(Self.joined)
                JOIN webhooks AS webhook ON webhook.app_id = delivery.app_id AND webhook.id = delivery.webhook_id
                WHERE delivery.status = 'pending' AND delivery.next_attempt_at <= ? AND webhook.status = 'active'
                ORDER BY delivery.sequence LIMIT ?
                """, [now, limit]
            ) { columns in
                ClaimedDelivery(delivery: try WebhookDelivery(reading: &columns), url: try columns.next())
            }
            for claim in claimed {
                var delivery = claim.delivery
                delivery.nextAttemptAt = leaseEnd
                try db.update(delivery)
            }
            return claimed
        }
    }

    private func isAnythingDue(_ now: Timestamp) async throws -> Bool {
        try await read { db in
            try db.count(
                "SELECT EXISTS (SELECT 1 FROM webhook_deliveries WHERE status = 'pending' AND next_attempt_at <= ?)",
                [now]) == 1
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

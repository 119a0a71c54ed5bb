internal import GRDB
package import SessionDomain

extension SQLiteStore: WebhookStore {
    package func webhooks(app: AppID) async throws -> [Webhook] {
        try await read { db in
            try db.all(
                "SELECT \(Webhook.columns) FROM webhooks WHERE app_id = ? ORDER BY created_at, id", [app],
                as: Webhook.init(reading:))
        }
    }

    package func webhook(_ id: String, app: AppID) async throws -> Webhook? {
        try await read { db in try db.webhook(id, app: app) }
    }

    package func deliveries(
        of webhookID: String, app: AppID, limit: Int, offset: Int
    ) async throws -> [WebhookDelivery] {
        try await read { db in
            try db.all(
                """
                SELECT \(WebhookDelivery.columns) FROM \(WebhookDelivery.joined)
                WHERE delivery.app_id = ? AND delivery.webhook_id = ?
                ORDER BY delivery.sequence DESC LIMIT ? OFFSET ?
                """, [app, webhookID, limit, offset], as: WebhookDelivery.init(reading:))
        }
    }

    package func deliveries(
        of webhookID: String, app: AppID, after eventID: String, limit: Int
    ) async throws -> [WebhookDelivery]? {
        try await read { db in
            let place = try db.first(
                "SELECT sequence FROM webhook_deliveries WHERE app_id = ? AND webhook_id = ? AND event_id = ?",
                [app, webhookID, eventID]
            ) { try $0.next() as Int64 }
            guard let place else { return nil }
            return try db.all(
                """
                SELECT \(WebhookDelivery.columns) FROM \(WebhookDelivery.joined)
                WHERE delivery.app_id = ? AND delivery.webhook_id = ? AND delivery.sequence < ?
                ORDER BY delivery.sequence DESC LIMIT ?
                """, [app, webhookID, place, limit], as: WebhookDelivery.init(reading:))
        }
    }

    package func hasDeliveries(of webhookID: String, app: AppID, moreThan count: Int) async throws -> Bool {
        try await read { db in
            try db.first(
                "SELECT 1 FROM webhook_deliveries WHERE app_id = ? AND webhook_id = ? LIMIT 1 OFFSET ?",
                [app, webhookID, count]
            ) { try $0.next() as Int64 } != nil
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
}

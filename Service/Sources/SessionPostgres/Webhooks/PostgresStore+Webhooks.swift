package import SessionDomain

extension PostgresStore: WebhookStore {
    package func webhooks(app: AppID) async throws -> [Webhook] {
        try await webhooks("app_id = $1 ORDER BY created_at, id", [app])
    }

    package func webhook(_ id: String, app: AppID) async throws -> Webhook? {
        try await webhooks("app_id = $1 AND id = $2", [app, id]).first
    }

    package func deliveries(
        of webhookID: String, app: AppID, limit: Int, offset: Int
    ) async throws -> [WebhookDelivery] {
        let deliveries = Statement(
            """
            SELECT \(WebhookDelivery.columns) FROM \(WebhookDelivery.joined)
            WHERE delivery.app_id = $1 AND delivery.webhook_id = $2
            ORDER BY delivery.sequence DESC, delivery.event_id DESC LIMIT $3 OFFSET $4
            """, [app, webhookID, limit, offset])
        return try await read([deliveries]) { try $0[0].all(WebhookDelivery.init(reading:)) }
    }

    package func deliveries(
        of webhookID: String, app: AppID, after eventID: String, limit: Int
    ) async throws -> [WebhookDelivery]? {
        let one = "app_id = $1 AND webhook_id = $2 AND event_id = $3"
        let place = Statement("SELECT 1 FROM webhook_deliveries WHERE \(one)", [app, webhookID, eventID])
        let deliveries = Statement(
            """
            SELECT \(WebhookDelivery.columns) FROM \(WebhookDelivery.joined)
            WHERE delivery.app_id = $1 AND delivery.webhook_id = $2 AND (delivery.sequence, delivery.event_id) <
                (SELECT sequence, event_id FROM webhook_deliveries WHERE \(one))
            ORDER BY delivery.sequence DESC, delivery.event_id DESC LIMIT $4
            """, [app, webhookID, eventID, limit])
        return try await read([place, deliveries]) { rows in
            rows[0].count == 0 ? nil : try rows[1].all(WebhookDelivery.init(reading:))
        }
    }

    package func hasDeliveries(of webhookID: String, app: AppID, moreThan count: Int) async throws -> Bool {
        let place = Statement(
            """
            SELECT 1 FROM webhook_deliveries WHERE app_id = $1 AND webhook_id = $2 ORDER BY sequence LIMIT 1 OFFSET $3
            """, [app, webhookID, count])
        return try await read([place]) { $0[0].count > 0 }
    }

    package func dueWebhooks(now: Timestamp) async throws -> [Webhook] {
        try await webhooks(
            """
            status = 'active' AND EXISTS (
                SELECT 1 FROM webhook_deliveries AS delivery
                WHERE delivery.app_id = webhooks.app_id AND delivery.webhook_id = webhooks.id
                    AND delivery.status = 'pending' AND delivery.next_attempt_at <= $1)
            ORDER BY app_id, id
            """, [now])
    }

    private func webhooks(_ condition: String, _ values: [(any PostgresValue)?]) async throws -> [Webhook] {
        try await read([Statement("SELECT \(Webhook.columns) FROM webhooks WHERE \(condition)", values)]) {
            try $0[0].all(Webhook.init(reading:))
        }
    }
}

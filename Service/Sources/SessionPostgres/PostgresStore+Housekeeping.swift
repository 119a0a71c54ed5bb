package import SessionDomain

extension PostgresStore: HousekeepingStore {
    /// The tables whose rows expire, with their key and the column of the time.
    private static let expiring = [
        (table: "proofs", key: "app_id, replay_key", expiry: "expires_at"),
        (table: "copied_proofs", key: "app_id, key", expiry: "expires_at"),
        (table: "challenges", key: "app_id, id", expiry: "expires_at"),
        (table: "grants", key: "app_id, user_id, id", expiry: "expires_at"),
        (table: "counters", key: "app_id, key", expiry: "resets_at"),
    ]

    package func deleteExpired(now: Timestamp, limit: Int) async throws -> Int {
        let expired = Self.expiring.map { Self.deletion(from: $0.table, $0.key, by: $0.expiry, until: now, limit) }
        let others = [
            Self.deletion(
                from: "verifications", "app_id, token_hash", by: "code_expires_at", until: now - Retention.expiredCodes,
                limit),
            Self.deletion(from: "sessions", "app_id, id", by: "purge_hour", until: now.hour, limit),
            Self.deletion(
                from: "messages", "app_id, id", by: "expires_at", "AND status <> 'pending'", until: now, limit),
        ]
        return try await change([ReplayMemory.deletion(until: now, limit: limit)] + expired + others) { rows in
            try rows.reduce(0) { try $0 + ($1.first { try $0.next() } ?? 0) }
        }
    }

    package func deleteEvents(
        of app: AppID, until: Timestamp, pendingUntil: Timestamp, limit: Int
    ) async throws -> Int {
        let deletion = Statement(
            """
            WITH chosen AS MATERIALIZED (
                SELECT id FROM events
                WHERE app_id = $1 AND created_at <= $2 AND (
                    created_at <= $3 OR NOT EXISTS (
                        SELECT 1 FROM webhook_deliveries AS delivery
                        WHERE delivery.app_id = events.app_id AND delivery.event_id = events.id
                            AND delivery.status = 'pending'))
                ORDER BY created_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            DELETE FROM events WHERE app_id = $1 AND id IN (SELECT id FROM chosen)
            """, [app, until, pendingUntil])
        return try await change([deletion]) { $0[0].changed }
    }

    /// Deletes rows that no other node deletes or uses now, and counts them. They are chosen first: a sub-select with a limit
    /// may run several times.
    ///
    /// The order and the number in the text make the planner use the index of the expiry. It knows no values, so it expects
    /// that a third of the rows has expired, and that a limit is a tenth of the rows.
    private static func deletion(
        from table: String, _ key: String, by expiry: String, _ condition: String = "",
        until bound: any PostgresValue, _ limit: Int
    ) -> Statement {
        Statement(
            """
            WITH chosen AS MATERIALIZED (
                SELECT \(key) FROM \(table) WHERE \(expiry) <= $1 \(condition)
                ORDER BY \(expiry) LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ), deleted AS (
                DELETE FROM \(table) WHERE (\(key)) IN (SELECT * FROM chosen) RETURNING 1)
            SELECT count(*) FROM deleted
            """, [bound])
    }
}

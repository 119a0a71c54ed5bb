extension Migration {
    /// Events, and what is sent later.
    static let outbox = [
        """
        CREATE TABLE events (
            app_id TEXT COLLATE "C" NOT NULL,
            id TEXT COLLATE "C" NOT NULL,
            sequence BIGINT NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL,
            data TEXT NOT NULL,
            user_id TEXT COLLATE "C",
            context TEXT NOT NULL,
            PRIMARY KEY (app_id, id)
        )
        """,
        "CREATE INDEX events_by_sequence ON events (sequence)",
        "CREATE INDEX events_by_time ON events (app_id, created_at, sequence)",
        "CREATE INDEX events_by_user ON events (app_id, user_id, created_at, sequence)",
        "CREATE INDEX events_by_name ON events (app_id, name, created_at, sequence)",
        // `events` holds the names of the events that are sent, each with a space before and after it.
        """
        CREATE TABLE webhooks (
            app_id TEXT COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
            id TEXT COLLATE "C" NOT NULL,
            url TEXT NOT NULL,
            events TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('inactive', 'active')),
            verification_token TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        )
        """,
        """
        CREATE TABLE webhook_deliveries (
            app_id TEXT COLLATE "C" NOT NULL,
            webhook_id TEXT COLLATE "C" NOT NULL,
            event_id TEXT COLLATE "C" NOT NULL,
            sequence BIGINT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
            attempts BIGINT NOT NULL,
            next_attempt_at BIGINT NOT NULL,
            last_status BIGINT,
            last_error TEXT,
            delivered_at BIGINT,
            PRIMARY KEY (app_id, webhook_id, event_id),
            FOREIGN KEY (app_id, webhook_id) REFERENCES webhooks (app_id, id) ON DELETE CASCADE,
            FOREIGN KEY (app_id, event_id) REFERENCES events (app_id, id) ON DELETE CASCADE
        )
        """,
        """
        CREATE INDEX webhook_deliveries_due ON webhook_deliveries (app_id, webhook_id, next_attempt_at)
            WHERE status = 'pending'
        """,
        "CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (app_id, event_id)",
        "CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (app_id, webhook_id, sequence)",
        // `content` has no code, only what derives it. `route` is the position of the route that is tried next.
        """
        CREATE TABLE messages (
            app_id TEXT COLLATE "C" NOT NULL,
            id TEXT COLLATE "C" NOT NULL,
            type TEXT COLLATE "C" NOT NULL CHECK (type IN ('phone_number', 'email_address')),
            canonical TEXT COLLATE "C" NOT NULL,
            value TEXT NOT NULL,
            content TEXT NOT NULL,
            has_code BOOLEAN NOT NULL,
            context TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'withheld')),
            route BIGINT NOT NULL,
            rejected_routes TEXT NOT NULL,
            attempts BIGINT NOT NULL,
            next_attempt_at BIGINT NOT NULL,
            last_failure TEXT,
            PRIMARY KEY (app_id, id)
        )
        """,
        "CREATE INDEX messages_due ON messages (app_id, type, route, next_attempt_at, id) WHERE status = 'pending'",
        "CREATE INDEX messages_by_recipient ON messages (app_id, type, canonical)",
        "CREATE INDEX messages_by_expiry ON messages (expires_at) WHERE status <> 'pending'",
    ]
}

extension Migration {
    /// Challenges, grants, keys that sign hooks, webhooks with their outbox.
    static let stepUp = Migration(
        number: 2, name: "step up",
        sql: """
            -- Logins begun before this moment are void: a credential changed.
            ALTER TABLE users ADD COLUMN logins_void_before INTEGER NOT NULL DEFAULT 0;

            CREATE TABLE challenges (
                app_id TEXT NOT NULL,
                id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                session_id TEXT NOT NULL,
                scope TEXT NOT NULL,
                grant_mode TEXT NOT NULL,
                granted_for INTEGER NOT NULL,
                steps TEXT NOT NULL,
                new_identifier TEXT,
                created_at INTEGER NOT NULL,
                token_id TEXT NOT NULL,
                steps_done INTEGER NOT NULL CHECK (steps_done >= 0),
                wrong_codes INTEGER NOT NULL CHECK (wrong_codes >= 0),
                expires_at INTEGER NOT NULL,
                completed_at INTEGER,
                redeemed_at INTEGER,
                PRIMARY KEY (app_id, id),
                FOREIGN KEY (app_id, session_id) REFERENCES sessions (app_id, id) ON DELETE CASCADE
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX challenges_by_session ON challenges (app_id, session_id, created_at);
            CREATE INDEX challenges_by_user ON challenges (app_id, user_id);
            CREATE INDEX challenges_by_expiry ON challenges (expires_at);

            CREATE TABLE grants (
                app_id TEXT NOT NULL,
                id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                session_id TEXT NOT NULL,
                scope TEXT NOT NULL,
                mode TEXT NOT NULL CHECK (mode IN ('single-use', 'session-bound', 'profile-bound')),
                generation INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                PRIMARY KEY (app_id, id),
                FOREIGN KEY (app_id, session_id) REFERENCES sessions (app_id, id) ON DELETE CASCADE
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX grants_by_user ON grants (app_id, user_id);
            CREATE INDEX grants_by_session ON grants (app_id, session_id);
            CREATE INDEX grants_by_expiry ON grants (expires_at);

            CREATE TABLE hook_keys (
                sequence INTEGER PRIMARY KEY,
                app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
                key_id TEXT NOT NULL,
                sealed_private_key BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                UNIQUE (app_id, key_id)
            ) STRICT;

            -- events holds the names of the events that are sent, each with a space before and after it.
            CREATE TABLE webhooks (
                app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
                id TEXT NOT NULL,
                url TEXT NOT NULL,
                events TEXT NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('inactive', 'active')),
                verification_token TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL,
                PRIMARY KEY (app_id, id)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE webhook_deliveries (
                sequence INTEGER PRIMARY KEY,
                app_id TEXT NOT NULL,
                webhook_id TEXT NOT NULL,
                event_id TEXT NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
                attempts INTEGER NOT NULL,
                next_attempt_at INTEGER NOT NULL,
                last_status INTEGER,
                last_error TEXT,
                delivered_at INTEGER,
                UNIQUE (app_id, webhook_id, event_id),
                FOREIGN KEY (app_id, webhook_id) REFERENCES webhooks (app_id, id) ON DELETE CASCADE,
                FOREIGN KEY (app_id, event_id) REFERENCES events (app_id, id) ON DELETE CASCADE
            ) STRICT;
            CREATE INDEX webhook_deliveries_due ON webhook_deliveries (app_id, webhook_id, next_attempt_at)
                WHERE status = 'pending';
            CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (app_id, event_id);
            """)
}

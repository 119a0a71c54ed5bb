extension Migration {
    /// Messages that wait for the courier, and codes that can be derived again. Running verifications keep their codes.
    static let messages = Migration(
        number: 9, name: "messages",
        sql: """
            -- content has no code, only what derives it. route is the position of the route that is tried next.
            CREATE TABLE messages (
                sequence INTEGER PRIMARY KEY,
                app_id TEXT NOT NULL,
                id TEXT NOT NULL,
                type TEXT NOT NULL CHECK (type IN ('phone_number', 'email_address')),
                canonical TEXT NOT NULL,
                value TEXT NOT NULL,
                content TEXT NOT NULL,
                context TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'withheld')),
                route INTEGER NOT NULL,
                rejected_routes TEXT NOT NULL,
                attempts INTEGER NOT NULL,
                next_attempt_at INTEGER NOT NULL,
                last_failure TEXT,
                UNIQUE (app_id, id)
            ) STRICT;
            -- With the status, it has all that the count of each lane needs.
            CREATE INDEX messages_due ON messages (app_id, type, route, next_attempt_at, status)
                WHERE status = 'pending';
            CREATE INDEX messages_by_expiry ON messages (expires_at) WHERE status <> 'pending';

            -- NULL: a code of an earlier version, which was random.
            ALTER TABLE verifications ADD COLUMN code_seed TEXT;
            ALTER TABLE verifications ADD COLUMN previous_code_hash TEXT;
            ALTER TABLE verifications ADD COLUMN previous_code_expires_at INTEGER;
            """)
}

extension Migration {
    /// Signing keys with their times, those of hooks among them.
    static let signingKeys = Migration(
        number: 3, name: "signing keys",
        sql: """
            CREATE TABLE scheduled_keys (
                sequence INTEGER PRIMARY KEY,
                app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
                purpose TEXT NOT NULL CHECK (purpose IN ('access', 'challenge', 'hook')),
                key_id TEXT NOT NULL,
                algorithm TEXT NOT NULL,
                sealed_private_key BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                active_from INTEGER NOT NULL,
                retires_at INTEGER,
                remove_after INTEGER,
                UNIQUE (app_id, purpose, key_id)
            ) STRICT;
            INSERT INTO scheduled_keys
                (app_id, purpose, key_id, algorithm, sealed_private_key, created_at, active_from)
                SELECT app_id, purpose, key_id, algorithm, sealed_private_key, created_at, created_at
                FROM signing_keys ORDER BY sequence;
            INSERT INTO scheduled_keys
                (app_id, purpose, key_id, algorithm, sealed_private_key, created_at, active_from)
                SELECT app_id, 'hook', key_id, 'PS256', sealed_private_key, created_at, created_at
                FROM hook_keys ORDER BY sequence;
            DROP TABLE signing_keys;
            DROP TABLE hook_keys;
            ALTER TABLE scheduled_keys RENAME TO signing_keys;
            """)
}

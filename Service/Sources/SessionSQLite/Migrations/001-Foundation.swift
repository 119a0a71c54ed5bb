extension Migration {
    /// Apps, users, sessions, logins, events. Every row belongs to an app, and every key begins with it; times are
    /// milliseconds since 1970.
    static let foundation = Migration(
        number: 1, name: "foundation",
        sql: """
            CREATE TABLE apps (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 7),
                created_at INTEGER NOT NULL,
                settings TEXT NOT NULL
            ) STRICT;

            CREATE TABLE signing_keys (
                sequence INTEGER PRIMARY KEY,
                app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
                purpose TEXT NOT NULL CHECK (purpose IN ('access', 'challenge')),
                key_id TEXT NOT NULL,
                algorithm TEXT NOT NULL,
                sealed_private_key BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                UNIQUE (app_id, purpose, key_id)
            ) STRICT;

            CREATE TABLE management_keys (
                id TEXT NOT NULL PRIMARY KEY,
                hash TEXT NOT NULL UNIQUE,
                name TEXT NOT NULL,
                app_id TEXT,
                created_at INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE users (
                app_id TEXT NOT NULL,
                id TEXT NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'suspended')),
                external_id TEXT,
                profile TEXT NOT NULL,
                password_hash TEXT,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL,
                PRIMARY KEY (app_id, id),
                UNIQUE (app_id, external_id)
            ) STRICT;
            CREATE INDEX users_by_age ON users (app_id, created_at, id);

            CREATE TABLE identifiers (
                app_id TEXT NOT NULL,
                type TEXT NOT NULL CHECK (type IN ('phone_number', 'email_address')),
                canonical TEXT NOT NULL,
                value TEXT NOT NULL,
                user_id TEXT NOT NULL,
                position INTEGER NOT NULL,
                PRIMARY KEY (app_id, type, canonical),
                FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX identifiers_by_user ON identifiers (app_id, user_id, position);

            -- purge_hour is the hour from which housekeeping may delete a session. It is coarse so that the index
            -- stays untouched by most rotations.
            CREATE TABLE sessions (
                app_id TEXT NOT NULL,
                id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                generation INTEGER NOT NULL CHECK (generation >= 0),
                key_thumbprint TEXT,
                last_proof TEXT,
                demands_nonce INTEGER NOT NULL CHECK (demands_nonce IN (0, 1)),
                scopes TEXT NOT NULL,
                device_id TEXT,
                device_model TEXT NOT NULL,
                device_type TEXT NOT NULL,
                os_version TEXT NOT NULL,
                country_code TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                last_seen_at INTEGER NOT NULL,
                rotated_at INTEGER NOT NULL,
                idle_expires_at INTEGER NOT NULL,
                absolute_expires_at INTEGER NOT NULL,
                revoked_at INTEGER,
                purge_hour INTEGER NOT NULL,
                PRIMARY KEY (app_id, id),
                FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX sessions_by_user ON sessions (app_id, user_id);
            CREATE INDEX sessions_by_purge_hour ON sessions (purge_hour);

            -- Replay memory (RFC 9449 section 11.1): a second insert is a replay.
            CREATE TABLE proofs (
                app_id TEXT NOT NULL,
                replay_key TEXT NOT NULL,
                expires_at INTEGER NOT NULL,
                PRIMARY KEY (app_id, replay_key)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX proofs_by_expiry ON proofs (expires_at);

            CREATE TABLE redeemed_challenges (
                app_id TEXT NOT NULL,
                challenge_id TEXT NOT NULL,
                expires_at INTEGER NOT NULL,
                PRIMARY KEY (app_id, challenge_id)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX redeemed_challenges_by_expiry ON redeemed_challenges (expires_at);

            CREATE TABLE verifications (
                app_id TEXT NOT NULL,
                token_hash TEXT NOT NULL,
                type TEXT NOT NULL,
                canonical TEXT NOT NULL,
                value TEXT NOT NULL,
                login_config_id TEXT NOT NULL,
                code_challenge TEXT,
                is_suppressed INTEGER NOT NULL CHECK (is_suppressed IN (0, 1)),
                code_hash TEXT NOT NULL,
                code_expires_at INTEGER NOT NULL,
                checks INTEGER NOT NULL CHECK (checks >= 0),
                sends INTEGER NOT NULL CHECK (sends >= 0),
                last_sent_at INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                PRIMARY KEY (app_id, token_hash)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX verifications_by_identifier ON verifications (app_id, type, canonical);
            CREATE INDEX verifications_by_expiry ON verifications (code_expires_at);

            CREATE TABLE counters (
                app_id TEXT NOT NULL,
                key TEXT NOT NULL,
                count INTEGER NOT NULL CHECK (count > 0),
                resets_at INTEGER NOT NULL,
                PRIMARY KEY (app_id, key)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX counters_by_expiry ON counters (resets_at);

            -- AUTOINCREMENT: a sequence number is never given twice, even after the newest event was deleted.
            CREATE TABLE events (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                app_id TEXT NOT NULL,
                id TEXT NOT NULL,
                name TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                data TEXT NOT NULL,
                UNIQUE (app_id, id)
            ) STRICT;
            CREATE INDEX events_by_app ON events (app_id, sequence);
            CREATE INDEX events_by_age ON events (created_at);
            """)
}

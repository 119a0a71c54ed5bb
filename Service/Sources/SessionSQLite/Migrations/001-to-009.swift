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

extension Migration {
    /// The attempt ids of a session's last rotations.
    static let rotationAttempts = Migration(
        number: 4, name: "rotation attempts",
        sql: """
            -- The hash of the id of the last rotation.
            ALTER TABLE sessions ADD COLUMN last_attempt TEXT;
            -- Short forms of the ids before it, newest first, separated by spaces.
            ALTER TABLE sessions ADD COLUMN earlier_attempts TEXT NOT NULL DEFAULT '';
            -- The generation at the start of the nonce window of `rotated_at`.
            ALTER TABLE sessions ADD COLUMN settled_generation INTEGER NOT NULL DEFAULT 0;
            """)
}

extension Migration {
    /// What a redemption stands for, and what housekeeping remembers of those that it has deleted: for each app, kind and
    /// hour, the latest expiry.
    static let deletedRedemptions = Migration(
        number: 5, name: "deleted redemptions",
        sql: """
            -- `RedemptionKind`. Before this step, a key with a slash was that of a custom step.
            ALTER TABLE redeemed_challenges ADD COLUMN kind TEXT NOT NULL DEFAULT 'login';
            UPDATE redeemed_challenges SET kind = 'step' WHERE challenge_id LIKE 'step/%';

            -- One row per app and kind for each hour in which something that was redeemed expired, at most 9000 in a year.
            -- Rows are never deleted: the clock that decided it could be wrong.
            CREATE TABLE deleted_redemptions (
                app_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                expiry_hour INTEGER NOT NULL,
                last_expiry INTEGER NOT NULL,
                PRIMARY KEY (app_id, kind, expiry_hour)
            ) STRICT, WITHOUT ROWID;
            """)
}

extension Migration {
    /// Holds of identifiers that a session registered, and the count that makes begun logins void.
    static let holds = Migration(
        number: 6, name: "holds",
        sql: """
            -- Until when an identifier opens nothing else. NULL: it is not held. Existing identifiers are not.
            ALTER TABLE identifiers ADD COLUMN held_until INTEGER;
            -- Counts the changes that make begun logins void. A count tells apart what happens in one second.
            ALTER TABLE users ADD COLUMN login_epoch INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE users DROP COLUMN logins_void_before;
            """)
}

extension Migration {
    /// Management keys with role, creator, expiry and last use.
    ///
    /// Earlier versions stored the configured key, and the key of development mode, under these names. They stayed valid
    /// after the configuration no longer named them. Configured keys are not stored any more.
    static let managementKeys = Migration(
        number: 7, name: "management keys",
        sql: """
            DELETE FROM management_keys WHERE app_id IS NULL AND name IN ('configured', 'development');
            ALTER TABLE management_keys ADD COLUMN
                role TEXT NOT NULL DEFAULT 'write' CHECK (role IN ('read', 'write'));
            ALTER TABLE management_keys ADD COLUMN created_by TEXT;
            ALTER TABLE management_keys ADD COLUMN expires_at INTEGER;
            ALTER TABLE management_keys ADD COLUMN last_used_at INTEGER;
            """)
}

extension Migration {
    /// Events with the user that they are about and the context that caused them. Each index serves one filter of the list,
    /// newest first; `events_by_time` also serves the deletion of old events.
    static let audit = Migration(
        number: 8, name: "audit",
        sql: """
            ALTER TABLE events ADD COLUMN user_id TEXT;
            ALTER TABLE events ADD COLUMN context TEXT NOT NULL DEFAULT '{}';
            UPDATE events SET user_id = json_extract(data, '$.user_id');
            DROP INDEX events_by_app;
            DROP INDEX events_by_age;
            CREATE INDEX events_by_time ON events (app_id, created_at);
            CREATE INDEX events_by_user ON events (app_id, user_id, created_at);
            CREATE INDEX events_by_name ON events (app_id, name, created_at);
            """)
}

extension Migration {
    /// Messages that wait for the worker, and codes that can be derived again. Running verifications keep their codes.
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
            -- With the status, it has all that the count of each queue needs.
            CREATE INDEX messages_due ON messages (app_id, type, route, next_attempt_at, status)
                WHERE status = 'pending';
            CREATE INDEX messages_by_expiry ON messages (expires_at) WHERE status <> 'pending';

            -- NULL: a code of an earlier version, which was random.
            ALTER TABLE verifications ADD COLUMN code_seed TEXT;
            ALTER TABLE verifications ADD COLUMN previous_code_hash TEXT;
            ALTER TABLE verifications ADD COLUMN previous_code_expires_at INTEGER;
            """)
}

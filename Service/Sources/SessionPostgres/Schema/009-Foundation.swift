extension Migration {
    /// Everything that the embedded store has at the same number.
    ///
    /// Every key of a row that belongs to a user or a session begins with its app, and is unique without other columns, so a
    /// table can be partitioned by it. Texts that are keys are compared by their bytes. Times are milliseconds since 1970.
    static let foundation = Migration(
        number: 9, name: "foundation", usableFrom: 9,
        statements: [
            """
            CREATE TABLE apps (
                id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 7),
                created_at BIGINT NOT NULL,
                settings TEXT NOT NULL
            )
            """,
            """
            CREATE TABLE signing_keys (
                app_id TEXT COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
                purpose TEXT COLLATE "C" NOT NULL CHECK (purpose IN ('access', 'challenge', 'hook')),
                key_id TEXT COLLATE "C" NOT NULL,
                algorithm TEXT NOT NULL,
                sealed_private_key BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                active_from BIGINT NOT NULL,
                retires_at BIGINT,
                remove_after BIGINT,
                sequence BIGINT NOT NULL,
                PRIMARY KEY (app_id, purpose, key_id)
            )
            """,
            """
            CREATE TABLE management_keys (
                id TEXT COLLATE "C" PRIMARY KEY,
                hash TEXT COLLATE "C" NOT NULL UNIQUE,
                name TEXT NOT NULL,
                app_id TEXT COLLATE "C",
                role TEXT NOT NULL CHECK (role IN ('read', 'write')),
                created_by TEXT COLLATE "C",
                created_at BIGINT NOT NULL,
                expires_at BIGINT,
                last_used_at BIGINT
            )
            """,
            """
            CREATE TABLE users (
                app_id TEXT COLLATE "C" NOT NULL,
                id TEXT COLLATE "C" NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'suspended')),
                external_id TEXT COLLATE "C",
                profile TEXT NOT NULL,
                password_hash TEXT,
                login_epoch BIGINT NOT NULL DEFAULT 0,
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, id)
            )
            """,
            "CREATE INDEX users_by_age ON users (app_id, created_at, id)",
            // A table of its own: a unique key must contain the columns by which its table is partitioned.
            """
            CREATE TABLE external_ids (
                app_id TEXT COLLATE "C" NOT NULL,
                external_id TEXT COLLATE "C" NOT NULL,
                user_id TEXT COLLATE "C" NOT NULL,
                PRIMARY KEY (app_id, external_id),
                FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
            )
            """,
            "CREATE INDEX external_ids_by_user ON external_ids (app_id, user_id)",
            """
            CREATE TABLE identifiers (
                app_id TEXT COLLATE "C" NOT NULL,
                type TEXT COLLATE "C" NOT NULL CHECK (type IN ('phone_number', 'email_address')),
                canonical TEXT COLLATE "C" NOT NULL,
                value TEXT NOT NULL,
                user_id TEXT COLLATE "C" NOT NULL,
                position BIGINT NOT NULL,
                held_until BIGINT,
                PRIMARY KEY (app_id, type, canonical),
                FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
            )
            """,
            "CREATE INDEX identifiers_by_user ON identifiers (app_id, user_id, position)",
            // The space for new versions of rows lets rotations change no index (HOT): none contains what they change.
            """
            CREATE TABLE sessions (
                app_id TEXT COLLATE "C" NOT NULL,
                id TEXT COLLATE "C" NOT NULL,
                user_id TEXT COLLATE "C" NOT NULL,
                generation BIGINT NOT NULL CHECK (generation >= 0),
                key_thumbprint TEXT,
                last_proof TEXT,
                last_attempt TEXT,
                earlier_attempts TEXT NOT NULL,
                demands_nonce BOOLEAN NOT NULL,
                scopes TEXT NOT NULL,
                device_id TEXT,
                device_model TEXT NOT NULL,
                device_type TEXT NOT NULL,
                os_version TEXT NOT NULL,
                country_code TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                last_seen_at BIGINT NOT NULL,
                rotated_at BIGINT NOT NULL,
                settled_generation BIGINT NOT NULL,
                idle_expires_at BIGINT NOT NULL,
                absolute_expires_at BIGINT NOT NULL,
                revoked_at BIGINT,
                purge_hour BIGINT NOT NULL,
                PRIMARY KEY (app_id, id),
                FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
            ) WITH (fillfactor = 70)
            """,
            "CREATE INDEX sessions_by_user ON sessions (app_id, user_id)",
            // The hour from which housekeeping may delete a session. It is coarse, so most rotations do not change it.
            "CREATE INDEX sessions_by_purge_hour ON sessions (purge_hour)",
            """
            CREATE TABLE proofs (
                app_id TEXT COLLATE "C" NOT NULL,
                replay_key TEXT COLLATE "C" NOT NULL,
                expires_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, replay_key)
            )
            """,
            "CREATE INDEX proofs_by_expiry ON proofs (expires_at)",
            """
            CREATE TABLE redemptions (
                app_id TEXT COLLATE "C" NOT NULL,
                id TEXT COLLATE "C" NOT NULL,
                kind TEXT COLLATE "C" NOT NULL,
                expires_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, id)
            )
            """,
            "CREATE INDEX redemptions_by_expiry ON redemptions (expires_at, app_id, id)",
            // One row per app and kind for each hour in which something that was redeemed expired. Rows are never deleted.
            """
            CREATE TABLE deleted_redemptions (
                app_id TEXT COLLATE "C" NOT NULL,
                kind TEXT COLLATE "C" NOT NULL,
                expiry_hour BIGINT NOT NULL,
                last_expiry BIGINT NOT NULL,
                PRIMARY KEY (app_id, kind, expiry_hour)
            )
            """,
            """
            CREATE TABLE verifications (
                app_id TEXT COLLATE "C" NOT NULL,
                token_hash TEXT COLLATE "C" NOT NULL,
                type TEXT COLLATE "C" NOT NULL,
                canonical TEXT COLLATE "C" NOT NULL,
                value TEXT NOT NULL,
                login_config_id TEXT NOT NULL,
                code_challenge TEXT,
                is_suppressed BOOLEAN NOT NULL,
                code_hash TEXT NOT NULL,
                code_seed TEXT,
                code_expires_at BIGINT NOT NULL,
                previous_code_hash TEXT,
                previous_code_expires_at BIGINT,
                checks BIGINT NOT NULL CHECK (checks >= 0),
                sends BIGINT NOT NULL CHECK (sends >= 0),
                last_sent_at BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, token_hash)
            )
            """,
            "CREATE INDEX verifications_by_identifier ON verifications (app_id, type, canonical)",
            "CREATE INDEX verifications_by_expiry ON verifications (code_expires_at)",
            """
            CREATE TABLE counters (
                app_id TEXT COLLATE "C" NOT NULL,
                key TEXT COLLATE "C" NOT NULL,
                count BIGINT NOT NULL CHECK (count > 0),
                resets_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, key)
            ) WITH (fillfactor = 70)
            """,
            "CREATE INDEX counters_by_expiry ON counters (resets_at)",
            """
            CREATE TABLE challenges (
                app_id TEXT COLLATE "C" NOT NULL,
                id TEXT COLLATE "C" NOT NULL,
                user_id TEXT COLLATE "C" NOT NULL,
                session_id TEXT COLLATE "C" NOT NULL,
                scope TEXT COLLATE "C" NOT NULL,
                grant_mode TEXT NOT NULL,
                granted_for BIGINT NOT NULL,
                steps TEXT NOT NULL,
                new_identifier TEXT,
                created_at BIGINT NOT NULL,
                token_id TEXT NOT NULL,
                steps_done BIGINT NOT NULL CHECK (steps_done >= 0),
                wrong_codes BIGINT NOT NULL CHECK (wrong_codes >= 0),
                expires_at BIGINT NOT NULL,
                completed_at BIGINT,
                redeemed_at BIGINT,
                PRIMARY KEY (app_id, id),
                FOREIGN KEY (app_id, session_id) REFERENCES sessions (app_id, id) ON DELETE CASCADE
            )
            """,
            "CREATE INDEX challenges_by_session ON challenges (app_id, session_id, created_at)",
            "CREATE INDEX challenges_by_user ON challenges (app_id, user_id)",
            "CREATE INDEX challenges_by_expiry ON challenges (expires_at)",
            """
            CREATE TABLE grants (
                app_id TEXT COLLATE "C" NOT NULL,
                id TEXT COLLATE "C" NOT NULL,
                user_id TEXT COLLATE "C" NOT NULL,
                session_id TEXT COLLATE "C" NOT NULL,
                scope TEXT COLLATE "C" NOT NULL,
                mode TEXT NOT NULL CHECK (mode IN ('single-use', 'session-bound', 'profile-bound')),
                generation BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, user_id, id),
                FOREIGN KEY (app_id, session_id) REFERENCES sessions (app_id, id) ON DELETE CASCADE
            )
            """,
            "CREATE INDEX grants_by_session ON grants (app_id, session_id)",
            "CREATE INDEX grants_by_expiry ON grants (expires_at)",
        ] + outbox)
}

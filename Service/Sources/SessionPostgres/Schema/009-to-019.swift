internal import SessionDomain
internal import SessionSQL

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

extension Migration {
    /// The revision of the settings, and which versions can use the schema (`usable_from`). The embedded store has no step
    /// with this number: its nodes are on one machine.
    static let settingsRevision = Migration(
        number: 10, name: "settings revision", usableFrom: 10,
        statements: [
            "ALTER TABLE prelude_session ADD COLUMN IF NOT EXISTS usable_from BIGINT",
            "CREATE TABLE settings_revision (id BIGINT PRIMARY KEY, revision BIGINT NOT NULL)",
            "INSERT INTO settings_revision (id, revision) VALUES (1, 0)",
        ])
}

extension Migration {
    /// The index of the filter by actor. It contains only events of operators and of stored management keys, so the events of
    /// clients cost it little. It reads the actor from the context, so it also has the events from before this step, and
    /// those of nodes of the version before.
    ///
    /// The expression is that of `EventSelection.actorID`, and no cast to JSON: a cast fails for U+0000, and no value that
    /// a client sends may make the insert of an event fail.
    static let eventsByActor = Migration(
        number: 11, name: "events by actor", usableFrom: 10,
        work: .index(
            name: "events_by_actor",
            on: """
                events (app_id, (substring(context, '^[{]"actor":[{]"id":"([A-Za-z0-9_]+)"')), created_at, sequence) \
                WHERE substring(context, '^[{]"actor":[{]"id":"([A-Za-z0-9_]+)"') IS NOT NULL
                """))
}

extension Migration {
    /// Used proofs that an import has brought from an export, which has only `ProofUse.shortKey` of each. They
    /// expire within minutes. The version before does not look at them, so it cannot use such a database (`PostgresImportTarget`).
    static let copiedProofs = Migration(
        number: 12, name: "copied proofs", usableFrom: 10,
        statements: [
            """
            CREATE TABLE copied_proofs (
                app_id TEXT COLLATE "C" NOT NULL,
                key BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, key)
            )
            """,
            "CREATE INDEX copied_proofs_by_expiry ON copied_proofs (expires_at)",
        ])
}

extension Migration {
    /// Addresses with the ASCII form of their domain. If another user of the app has that form already, the row stays, and the
    /// user is found by the id only. A row also stays if its domain could be read as ASCII.
    ///
    /// Nodes of the version before do not find the rewritten ones, and would create their users again. So they no longer
    /// start if there are any.
    static let asciiDomains = Migration(
        number: 14, name: "ASCII domains", usableFrom: 10,
        work: .rows { connection in
            var isRewritten = false
            for table in ["identifiers", "verifications"] {
                let query = """
                    SELECT DISTINCT app_id, canonical FROM \(table)
                    WHERE type = 'email_address' AND canonical ~ '@.*[^ -~]'
                    """
                let addresses = try connection.run([Statement(query)])[0].all {
                    (app: try $0.next() as String, old: try $0.next() as String)
                }
                for (app, old) in addresses {
                    guard let new = CanonicalIdentifier.withASCIIDomain(old) else { continue }
                    isRewritten = true
                    // Codes may be several for one address.
                    let isFree = """
                        NOT EXISTS (SELECT 1 FROM identifiers
                        WHERE app_id = $2 AND type = 'email_address' AND canonical = $1)
                        """
                    _ = try connection.run([
                        Statement(
                            """
                            UPDATE \(table) SET canonical = $1
                            WHERE app_id = $2 AND type = 'email_address' AND canonical = $3
                                \(table == "identifiers" ? "AND \(isFree)" : "")
                            """, [new, app, old])
                    ])
                }
            }
            if isRewritten { try connection.run([Migration.needing(14)]) }
        })
}

extension Migration {
    /// The language of each user. It is known after the next login.
    static let locale = Migration(
        number: 15, name: "locale", usableFrom: 10, statements: ["ALTER TABLE users ADD COLUMN locale TEXT"])
}

extension Migration {
    /// The networks that paid for the messages of a login.
    static let payers = Migration(
        number: 16, name: "payers", usableFrom: 10,
        statements: ["ALTER TABLE verifications ADD COLUMN payers TEXT NOT NULL DEFAULT ''"])
}

extension Migration {
    /// Passkeys, and how the user of each session signed in. It is not known of older sessions, and of those that a node of the
    /// version before starts.
    static let passkeys = Migration(
        number: 18, name: "passkeys", usableFrom: 10,
        statements: [
            """
            CREATE TABLE passkeys (
                app_id TEXT COLLATE "C" NOT NULL,
                id TEXT COLLATE "C" NOT NULL,
                user_id TEXT COLLATE "C" NOT NULL,
                user_handle BYTEA NOT NULL,
                public_key BYTEA NOT NULL,
                counter BIGINT NOT NULL CHECK (counter >= 0),
                aaguid BYTEA NOT NULL,
                rp_id TEXT NOT NULL,
                transports TEXT NOT NULL,
                is_backup_eligible BOOLEAN NOT NULL,
                is_backed_up BOOLEAN NOT NULL,
                nickname TEXT,
                created_at BIGINT NOT NULL,
                last_used_at BIGINT,
                PRIMARY KEY (app_id, id),
                FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
            )
            """,
            "CREATE INDEX passkeys_by_user ON passkeys (app_id, user_id)",
            "ALTER TABLE sessions ADD COLUMN method TEXT",
        ])
}

internal import GRDB
internal import SessionDomain

extension Migration {
    /// The index of the filter by actor. It contains only events of operators and of stored management keys, so the events of
    /// clients cost it nothing. It reads the actor from the context, so it also has the events from before this step.
    ///
    /// The expressions are those of `EventSelection`. They use no function for JSON: with `trusted_schema` off, SQLite calls
    /// those unsafe in a schema. Step 10 belongs to PostgreSQL alone.
    static let eventsByActor = Migration(
        number: 11, name: "events by actor",
        sql: """
            CREATE INDEX events_by_actor ON events (
                app_id,
                CASE WHEN substr(context, 1, 16) = '{"actor":{"id":"'
                    THEN substr(context, 17, instr(substr(context, 17), '"') - 1) END,
                created_at
            ) WHERE substr(context, 1, 16) = '{"actor":{"id":"';
            """)
}

extension Migration {
    /// Used proofs with eight bytes of a hash as their key (`ProofUse.shortKey`), instead of 43 characters. Each refresh adds a
    /// row at another place of this table, so its size decides how much a refresh writes. All proofs stay used.
    ///
    /// The key is first: SQLite compares a number faster than a text.
    static let shortProofs = Migration(
        number: 12, name: "short proofs",
        sql: """
            CREATE TABLE short_proofs (
                key INTEGER NOT NULL,
                app_id TEXT NOT NULL,
                expires_at INTEGER NOT NULL,
                PRIMARY KEY (key, app_id)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO short_proofs (key, app_id, expires_at)
                SELECT
                      ((instr(digits, substr(replay_key, 1, 1)) - 1) << 58)
                    | ((instr(digits, substr(replay_key, 2, 1)) - 1) << 52)
                    | ((instr(digits, substr(replay_key, 3, 1)) - 1) << 46)
                    | ((instr(digits, substr(replay_key, 4, 1)) - 1) << 40)
                    | ((instr(digits, substr(replay_key, 5, 1)) - 1) << 34)
                    | ((instr(digits, substr(replay_key, 6, 1)) - 1) << 28)
                    | ((instr(digits, substr(replay_key, 7, 1)) - 1) << 22)
                    | ((instr(digits, substr(replay_key, 8, 1)) - 1) << 16)
                    | ((instr(digits, substr(replay_key, 9, 1)) - 1) << 10)
                    | ((instr(digits, substr(replay_key, 10, 1)) - 1) << 4)
                    | ((instr(digits, substr(replay_key, 11, 1)) - 1) >> 2),
                    app_id, max(expires_at)
                FROM proofs, (
                    SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' AS digits
                ) GROUP BY 1, 2;
            DROP TABLE proofs;
            ALTER TABLE short_proofs RENAME TO proofs;
            CREATE INDEX proofs_by_expiry ON proofs (expires_at);
            """)
}

extension Migration {
    /// Used proofs in the order in which they arrive, so that a commit adds all its proofs to one page. In the order of their
    /// keys, each one changed another page. All proofs stay used.
    static let proofsInOrder = Migration(
        number: 13, name: "proofs in order",
        sql: """
            CREATE TABLE proofs_in_order (
                sequence INTEGER PRIMARY KEY,
                key INTEGER NOT NULL,
                app_id TEXT NOT NULL,
                expires_at INTEGER NOT NULL
            ) STRICT;
            INSERT INTO proofs_in_order (key, app_id, expires_at)
                SELECT key, app_id, expires_at FROM proofs ORDER BY expires_at, key, app_id;
            DROP TABLE proofs;
            ALTER TABLE proofs_in_order RENAME TO proofs;
            """)
}

extension Migration {
    /// Addresses with the ASCII form of their domain. If another user of the app has that form already, the row stays, and the
    /// user is found by the id only. A row also stays if its domain could be read as ASCII.
    static let asciiDomains = Migration(
        number: 14, name: "ASCII domains", sql: "",
        rows: { db in
            for table in ["identifiers", "verifications"] {
                let query = """
                    SELECT DISTINCT app_id, canonical FROM \(table)
                    WHERE type = 'email_address' AND canonical GLOB '*@*[^ -~]*'
                    """
                let change = """
                    UPDATE OR IGNORE \(table) SET canonical = ?
                    WHERE app_id = ? AND type = 'email_address' AND canonical = ?
                    """
                for row in try Row.fetchAll(db, sql: query) {
                    let (app, old): (String, String) = (row[0], row[1])
                    guard let new = CanonicalIdentifier.withASCIIDomain(old) else { continue }
                    try db.execute(sql: change, arguments: [new, app, old])
                }
            }
        })
}

extension Migration {
    /// The language of each user. It is known after the next login.
    static let locale = Migration(
        number: 15, name: "locale",
        sql: """
            ALTER TABLE users ADD COLUMN locale TEXT;
            """)
}

extension Migration {
    /// The networks that paid for the messages of a login.
    static let payers = Migration(
        number: 16, name: "payers",
        sql: """
            ALTER TABLE verifications ADD COLUMN payers TEXT NOT NULL DEFAULT '';
            """)
}

extension Migration {
    /// Used proofs in the order of their keys, without another index. So the table itself finds a proof, and each proof has one
    /// row. All proofs stay used.
    static let proofsByKey = Migration(
        number: 17, name: "proofs by key",
        sql: """
            CREATE TABLE proofs_by_key (
                key INTEGER NOT NULL,
                app_id TEXT NOT NULL,
                expires_at INTEGER NOT NULL,
                PRIMARY KEY (key, app_id)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO proofs_by_key (key, app_id, expires_at)
                SELECT key, app_id, max(expires_at) FROM proofs GROUP BY key, app_id;
            DROP TABLE proofs;
            ALTER TABLE proofs_by_key RENAME TO proofs;
            """)
}

extension Migration {
    /// Passkeys, and how the user of each session signed in. It is not known of older sessions.
    static let passkeys = Migration(
        number: 18, name: "passkeys",
        sql: """
            CREATE TABLE passkeys (
                app_id TEXT NOT NULL,
                id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                user_handle BLOB NOT NULL,
                public_key BLOB NOT NULL,
                counter INTEGER NOT NULL CHECK (counter >= 0),
                aaguid BLOB NOT NULL,
                rp_id TEXT NOT NULL,
                transports TEXT NOT NULL,
                is_backup_eligible INTEGER NOT NULL CHECK (is_backup_eligible IN (0, 1)),
                is_backed_up INTEGER NOT NULL CHECK (is_backed_up IN (0, 1)),
                nickname TEXT,
                created_at INTEGER NOT NULL,
                last_used_at INTEGER,
                PRIMARY KEY (app_id, id),
                FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX passkeys_by_user ON passkeys (app_id, user_id);
            ALTER TABLE sessions ADD COLUMN method TEXT;
            """)
}

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

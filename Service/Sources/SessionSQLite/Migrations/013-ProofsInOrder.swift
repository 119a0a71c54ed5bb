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

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

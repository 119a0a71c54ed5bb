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

extension Migration {
    /// Used proofs that a copy has brought from an embedded database, which keeps only `ProofUse.shortKey` of each. They
    /// expire within minutes. The version before does not look at them, but it makes no such copy either.
    static let copiedProofs = Migration(
        number: 12, name: "copied proofs", usableFrom: 10,
        statements: [
            "CREATE TABLE copied_proofs (key BIGINT PRIMARY KEY, expires_at BIGINT NOT NULL)",
            "CREATE INDEX copied_proofs_by_expiry ON copied_proofs (expires_at)",
        ])
}

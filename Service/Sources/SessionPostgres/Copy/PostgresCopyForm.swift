internal import SessionDomain

/// Where PostgreSQL keeps the rows of a table.
struct PostgresCopyForm {
    /// What a query reads after `FROM`.
    let source: String
    /// The table that gets copied rows.
    let target: String

    init(_ table: CopiedTable) {
        guard table.name == "proofs" else {
            source = table.name
            target = table.name
            return
        }
        source = Self.proofs
        target = "copied_proofs"
    }

    /// `ProofUse.shortKey`, of the proofs that this database has seen, and of those that a copy brought. A proof that was
    /// used again after it expired is in both.
    private static let proofs = """
        (
            SELECT app_id, key, max(expires_at) AS expires_at FROM (
                SELECT app_id, expires_at,
                    ('x' || encode(substr(decode(translate(replay_key, '-_', '+/') || '=', 'base64'), 1, 8), 'hex'))
                        ::bit(64)::bigint AS key
                FROM proofs
                UNION ALL SELECT app_id, expires_at, key FROM copied_proofs
            ) AS used GROUP BY app_id, key
        ) AS short_proofs
        """
}

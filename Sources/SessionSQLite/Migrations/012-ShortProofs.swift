internal import GRDB
internal import SessionDomain

extension Migration {
    /// Used proofs with eight bytes of a hash as their key, instead of an app and 43 characters. Each refresh adds a row at
    /// another place of this table, so its size decides how much a refresh writes. All proofs stay used.
    static let shortProofs = Migration(
        number: 12, name: "short proofs",
        sql: """
            CREATE TABLE short_proofs (
                key INTEGER PRIMARY KEY,
                expires_at INTEGER NOT NULL
            ) STRICT;
            INSERT INTO short_proofs (key, expires_at)
                SELECT short_key(replay_key, app_id), max(expires_at) FROM proofs GROUP BY 1;
            DROP TABLE proofs;
            ALTER TABLE short_proofs RENAME TO proofs;
            CREATE INDEX proofs_by_expiry ON proofs (expires_at);
            """, functions: [shortKey])

    private static let shortKey = DatabaseFunction("short_key", argumentCount: 2, pure: true) { values in
        guard let key = String.fromDatabaseValue(values[0]), let app = String.fromDatabaseValue(values[1]) else {
            return nil
        }
        return ProofUse.shortKey(of: key, app: app)
    }
}

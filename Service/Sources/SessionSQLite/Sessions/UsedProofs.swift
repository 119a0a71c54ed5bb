internal import GRDB
internal import SessionDomain

extension Database {
    /// Uses a proof.
    ///
    /// - Throws: `FailedGuard` if it is used.
    func reserve(_ proof: ProofUse, app: AppID, now: Timestamp) throws {
        try run(
            """
            INSERT INTO proofs (key, app_id, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (key, app_id) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?
            """, [proof.shortKey, app, proof.rememberUntil, now], orFail: .taken(.proof(proof.replayKey)))
    }

    /// Deletes the expired ones among the next proofs in the order of their keys. There is no index by expiry: it would change
    /// a second page for each proof. Keys are hashes, so each part of the table has its share of those that have expired.
    ///
    /// - Parameters:
    ///   - key: Where to begin. `nil`: at the first proof.
    ///   - limit: How many proofs are deleted at most. Eight times as many are read.
    /// - Returns: The number of proofs that were deleted, and where to go on.
    func deleteProofs(until now: Timestamp, from key: Int64?, limit: Int) throws -> (deleted: Int, next: Int64?) {
        let first = key ?? .min
        let next: Int64? = try self.first(
            "SELECT key FROM proofs WHERE key >= ? ORDER BY key LIMIT 1 OFFSET ?", [first, 8 * limit]
        ) { try $0.next() }
        let deleted = try run(
            """
            DELETE FROM proofs WHERE (key, app_id) IN (
                SELECT key, app_id FROM proofs WHERE key >= ? AND key <= ? AND expires_at <= ? ORDER BY key LIMIT ?
            )
            """, [first, next ?? .max, now, limit])
        return (deleted, deleted < limit ? next : key)
    }
}

internal import SessionDomain

/// What can be used once. The insert is the check; no look-up comes before it.
enum ReplayMemory {
    static func reserve(_ proof: ProofUse, app: AppID, now: Timestamp) -> Statement {
        .guarded(
            """
            INSERT INTO proofs (app_id, replay_key, expires_at) SELECT $1, $2, $3::bigint
            WHERE NOT EXISTS (SELECT 1 FROM copied_proofs WHERE app_id = $1 AND key = $5 AND expires_at > $4)
            ON CONFLICT (app_id, replay_key) DO UPDATE SET expires_at = excluded.expires_at
            WHERE proofs.expires_at <= $4
            """, [app, proof.replayKey, proof.rememberUntil, now, proof.shortKey],
            orFail: .taken(.proof(proof.replayKey)))
    }

    /// Remembers a redemption, and then checks that it was not deleted. In this order, because the insert waits for a deletion
    /// that runs now, and only a later statement sees what that one has remembered.
    static func redeem(_ id: String, until expiresAt: Timestamp, app: AppID) -> [Statement] {
        let kind = RedemptionKind(key: id).rawValue
        return [
            .guarded(
                """
                INSERT INTO redemptions (app_id, id, kind, expires_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (app_id, id) DO NOTHING
                """, [app, id, kind, expiresAt], orFail: .taken(.redemption(id))),
            .expecting(
                """
                SELECT 1 WHERE NOT EXISTS (
                    SELECT 1 FROM deleted_redemptions
                    WHERE app_id = $1 AND kind = $2 AND expiry_hour = $3 AND last_expiry >= $4)
                """, [app, kind, expiresAt.hour, expiresAt], orFail: .taken(.redemption(id))),
        ]
    }

    /// Deletes the redemptions that expired first, and remembers for each app, kind and hour how far they are deleted.
    ///
    /// The expiry of each deleted row is at most the one remembered for its hour. So `redeem` rejects what may have been
    /// deleted, whatever the clock says. One statement deletes the rows and remembers the same ones, because another node may
    /// delete at the same time.
    static func deletion(until now: Timestamp, limit: Int) -> Statement {
        let kinds = RedemptionKind.allCases.filter(\.outlivesItsRow).map { "'\($0.rawValue)'" }
        return Statement(
            """
            WITH chosen AS MATERIALIZED (
                SELECT app_id, id FROM redemptions WHERE expires_at <= $1
                ORDER BY expires_at, app_id, id LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ), deleted AS (
                DELETE FROM redemptions WHERE (app_id, id) IN (SELECT app_id, id FROM chosen)
                RETURNING app_id, kind, expires_at
            ), remembered AS (
                INSERT INTO deleted_redemptions (app_id, kind, expiry_hour, last_expiry)
                SELECT app_id, kind, expires_at / \(Timestamp.hour), max(expires_at) FROM deleted
                WHERE kind IN (\(kinds.joined(separator: ", "))) GROUP BY 1, 2, 3
                ON CONFLICT (app_id, kind, expiry_hour) DO UPDATE
                SET last_expiry = greatest(deleted_redemptions.last_expiry, excluded.last_expiry)
            )
            SELECT count(*) FROM deleted
            """, [now])
    }
}

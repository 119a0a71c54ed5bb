internal import GRDB
internal import SessionDomain

/// What can be redeemed once. The insert is the check; no look-up comes before it.
extension Database {
    func redeem(_ id: String, until expiresAt: Timestamp, app: AppID) throws {
        let kind = RedemptionKind(key: id).rawValue
        try run(
            """
            INSERT INTO redeemed_challenges (app_id, challenge_id, kind, expires_at) SELECT ?, ?, ?, ?
            WHERE NOT EXISTS (
                SELECT 1 FROM deleted_redemptions WHERE app_id = ? AND kind = ? AND expiry_hour = ? AND last_expiry >= ?
            )
            ON CONFLICT (app_id, challenge_id) DO NOTHING
            """, [app, id, kind, expiresAt, app, kind, expiresAt.milliseconds / Timestamp.hour, expiresAt],
            orFail: .taken(.redemption(id)))
    }

    /// Deletes the redemptions that expired first, and remembers for each app, kind and hour how far they are deleted.
    ///
    /// The expiry of each deleted row is at most the one remembered for its hour. So `redeem` rejects what may have been
    /// deleted, whatever the clock says. An hour of its own keeps the effect small: rows that a wrong clock wrote years
    /// ahead say nothing about the logins of today. A kind of its own, too: challenges of logins live minutes, so no login
    /// is rejected longer, whatever else was deleted.
    func deleteRedemptions(until now: Timestamp, limit: Int) throws -> Int {
        let oldest = "FROM redeemed_challenges WHERE expires_at <= ? ORDER BY expires_at, app_id, challenge_id LIMIT ?"
        for kind in RedemptionKind.allCases where kind.outlivesItsRow {
            try run(
                """
                INSERT INTO deleted_redemptions (app_id, kind, expiry_hour, last_expiry)
                SELECT app_id, kind, expires_at / \(Timestamp.hour), max(expires_at)
                FROM (SELECT app_id, kind, expires_at \(oldest))
                WHERE kind = ? GROUP BY 1, 2, 3
                ON CONFLICT (app_id, kind, expiry_hour)
                DO UPDATE SET last_expiry = max(last_expiry, excluded.last_expiry)
                """, [now, limit, kind.rawValue])
        }
        return try run(
            """
            DELETE FROM redeemed_challenges
            WHERE (app_id, challenge_id) IN (SELECT app_id, challenge_id \(oldest))
            """, [now, limit])
    }
}

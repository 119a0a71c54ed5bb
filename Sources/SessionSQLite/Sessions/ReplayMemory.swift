internal import GRDB
internal import SessionDomain

/// What can be used once. The insert is the check; no look-up comes before it.
extension Database {
    func reserve(_ proof: ProofUse, app: AppID, now: Timestamp) throws {
        try run(
            """
            INSERT INTO proofs (app_id, replay_key, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (app_id, replay_key) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?
            """, [app, proof.replayKey, proof.rememberUntil, now], orFail: .taken(.proof(proof.replayKey)))
    }

    func redeem(_ id: String, until expiresAt: Timestamp, app: AppID) throws {
        try run(
            """
            INSERT INTO redeemed_challenges (app_id, challenge_id, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (app_id, challenge_id) DO NOTHING
            """, [app, id, expiresAt], orFail: .taken(.redemption(id)))
    }
}

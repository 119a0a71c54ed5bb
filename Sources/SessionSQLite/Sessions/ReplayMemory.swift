internal import GRDB
internal import SessionDomain

/// What may be used once. The insert itself is the check: no look-up comes before it.
extension Database {
    /// Remembers a proof; `false` when it is remembered already. An expired memory is taken over.
    func reserve(_ proof: ProofUse, app: AppID, now: Timestamp) throws -> Bool {
        try run(
            """
            INSERT INTO proofs (app_id, replay_key, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (app_id, replay_key) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?
            """, [app, proof.replayKey, proof.rememberUntil, now]) == 1
    }

    /// Remembers that a challenge was redeemed; `false` when it was before.
    func redeem(challenge id: String, expiresAt: Timestamp, app: AppID) throws -> Bool {
        try run(
            """
            INSERT INTO redeemed_challenges (app_id, challenge_id, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (app_id, challenge_id) DO NOTHING
            """, [app, id, expiresAt]) == 1
    }
}

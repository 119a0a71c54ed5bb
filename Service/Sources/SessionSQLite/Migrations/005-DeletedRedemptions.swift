extension Migration {
    /// What a redemption stands for, and what housekeeping remembers of those that it has deleted: for each app, kind and
    /// hour, the latest expiry.
    static let deletedRedemptions = Migration(
        number: 5, name: "deleted redemptions",
        sql: """
            -- `RedemptionKind`. Before this step, a key with a slash was that of a custom step.
            ALTER TABLE redeemed_challenges ADD COLUMN kind TEXT NOT NULL DEFAULT 'login';
            UPDATE redeemed_challenges SET kind = 'step' WHERE challenge_id LIKE 'step/%';

            -- One row per app and kind for each hour in which something that was redeemed expired, at most 9000 in a year.
            -- Rows are never deleted: the clock that decided it could be wrong.
            CREATE TABLE deleted_redemptions (
                app_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                expiry_hour INTEGER NOT NULL,
                last_expiry INTEGER NOT NULL,
                PRIMARY KEY (app_id, kind, expiry_hour)
            ) STRICT, WITHOUT ROWID;
            """)
}

extension Migration {
    /// The attempt ids of a session's last rotations.
    static let rotationAttempts = Migration(
        number: 4, name: "rotation attempts",
        sql: """
            -- The hash of the id of the last rotation.
            ALTER TABLE sessions ADD COLUMN last_attempt TEXT;
            -- Short forms of the ids before it, newest first, separated by spaces.
            ALTER TABLE sessions ADD COLUMN earlier_attempts TEXT NOT NULL DEFAULT '';
            -- The generation at the start of the nonce window of `rotated_at`.
            ALTER TABLE sessions ADD COLUMN settled_generation INTEGER NOT NULL DEFAULT 0;
            """)
}

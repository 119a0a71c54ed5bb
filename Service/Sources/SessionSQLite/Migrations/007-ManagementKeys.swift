extension Migration {
    /// Management keys with role, creator, expiry and last use.
    ///
    /// Earlier versions stored the configured key, and the key of development mode, under these names. They stayed valid
    /// after the configuration no longer named them. Configured keys are not stored any more.
    static let managementKeys = Migration(
        number: 7, name: "management keys",
        sql: """
            DELETE FROM management_keys WHERE app_id IS NULL AND name IN ('configured', 'development');
            ALTER TABLE management_keys ADD COLUMN
                role TEXT NOT NULL DEFAULT 'write' CHECK (role IN ('read', 'write'));
            ALTER TABLE management_keys ADD COLUMN created_by TEXT;
            ALTER TABLE management_keys ADD COLUMN expires_at INTEGER;
            ALTER TABLE management_keys ADD COLUMN last_used_at INTEGER;
            """)
}

extension Migration {
    /// The revision of the settings, and which versions can use the schema (`usable_from`). The embedded store has no step
    /// with this number: its nodes are on one machine.
    static let settingsRevision = Migration(
        number: 10, name: "settings revision", usableFrom: 10,
        statements: [
            "ALTER TABLE prelude_session ADD COLUMN IF NOT EXISTS usable_from BIGINT",
            "CREATE TABLE settings_revision (id BIGINT PRIMARY KEY, revision BIGINT NOT NULL)",
            "INSERT INTO settings_revision (id, revision) VALUES (1, 0)",
        ])
}

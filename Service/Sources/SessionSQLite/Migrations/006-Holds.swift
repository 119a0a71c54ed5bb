extension Migration {
    /// Holds of identifiers that a session registered, and the count that makes begun logins void.
    static let holds = Migration(
        number: 6, name: "holds",
        sql: """
            -- Until when an identifier opens nothing else. NULL: it is not held. Existing identifiers are not.
            ALTER TABLE identifiers ADD COLUMN held_until INTEGER;
            -- Counts the changes that make begun logins void. A count tells apart what happens in one second.
            ALTER TABLE users ADD COLUMN login_epoch INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE users DROP COLUMN logins_void_before;
            """)
}

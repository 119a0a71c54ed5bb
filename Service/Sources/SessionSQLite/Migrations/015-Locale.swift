extension Migration {
    /// The language of each user. It is known after the next login.
    static let locale = Migration(
        number: 15, name: "locale",
        sql: """
            ALTER TABLE users ADD COLUMN locale TEXT;
            """)
}

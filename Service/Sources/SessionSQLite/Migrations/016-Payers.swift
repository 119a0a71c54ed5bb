extension Migration {
    /// The networks that paid for the messages of a login.
    static let payers = Migration(
        number: 16, name: "payers",
        sql: """
            ALTER TABLE verifications ADD COLUMN payers TEXT NOT NULL DEFAULT '';
            """)
}

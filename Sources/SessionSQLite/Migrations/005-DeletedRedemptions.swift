extension Migration {
    /// What housekeeping remembers of redemptions that it has deleted: for each hour, the latest expiry.
    static let deletedRedemptions = Migration(
        number: 5,
        sql: """
            -- One row per hour in which something that was redeemed expired, about 9000 in a year. Rows are never deleted:
            -- the clock that decided it could be wrong.
            CREATE TABLE deleted_redemptions (
                expiry_hour INTEGER NOT NULL PRIMARY KEY,
                last_expiry INTEGER NOT NULL
            ) STRICT;
            """)
}

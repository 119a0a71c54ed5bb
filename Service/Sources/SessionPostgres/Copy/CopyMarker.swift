internal import SessionDomain

/// The table of one row that a database has while a copy to it is unfinished.
enum CopyMarker {
    static let table = "prelude_session_copy"

    static let creation = Statement(
        "CREATE TABLE \(table) (source TEXT NOT NULL, table_name TEXT NOT NULL, copied_rows BIGINT NOT NULL)")

    static let deletion = Statement("DROP TABLE \(table)")

    static func insertion(_ source: String) -> Statement {
        Statement("INSERT INTO \(table) VALUES ($1, $2, $3)", [source, CopyPlace.start.table, CopyPlace.start.rows])
    }

    /// Waits for the transaction of a copy that was killed.
    static let selection = Statement("SELECT source, table_name, copied_rows FROM \(table) FOR UPDATE")

    static func update(from place: CopyPlace, to next: CopyPlace) -> Statement {
        .guarded(
            "UPDATE \(table) SET table_name = $1, copied_rows = $2 WHERE table_name = $3 AND copied_rows = $4",
            [next.table, next.rows, place.table, place.rows], orFail: .stale)
    }

    static func exists(in connection: PostgresConnection) throws -> Bool {
        try connection.run([Statement("SELECT to_regclass('\(table)') IS NOT NULL")])[0].first { try $0.next() }
            ?? false
    }

    /// - Throws: `StoreError.unfinishedCopy` if the database has the table.
    static func refuse(in connection: PostgresConnection) throws {
        if try exists(in: connection) { throw StoreError.unfinishedCopy }
    }
}

internal import SessionDomain

/// The table of one row that a database has while an import is unfinished.
enum ImportMarker {
    static let table = "prelude_session_import"

    static let creation = Statement("CREATE TABLE \(table) (lines BIGINT NOT NULL, sha256 TEXT NOT NULL)")

    static let deletion = Statement("DROP TABLE \(table)")

    static func insertion(_ place: ImportPlace) -> Statement {
        Statement("INSERT INTO \(table) VALUES ($1, $2)", [place.lines, place.sha256])
    }

    /// Waits for the transaction of an import that was killed.
    static let selection = Statement("SELECT lines, sha256 FROM \(table) FOR UPDATE")

    static func update(from place: ImportPlace, to next: ImportPlace) -> Statement {
        .guarded(
            "UPDATE \(table) SET lines = $1, sha256 = $2 WHERE lines = $3 AND sha256 = $4",
            [next.lines, next.sha256, place.lines, place.sha256], orFail: .stale)
    }

    static func exists(in connection: PostgresConnection) throws -> Bool {
        try connection.run([Statement("SELECT to_regclass('\(table)') IS NOT NULL")])[0].first { try $0.next() }
            ?? false
    }

    /// - Throws: `StoreError.unfinishedImport` if the database has the table.
    static func refuse(in connection: PostgresConnection) throws {
        if try exists(in: connection) { throw StoreError.unfinishedImport }
    }
}

internal import SessionDomain
internal import SessionTokens

/// Reads the rows of one connection for an export, in a transaction that the caller has begun.
struct PostgresRowReader {
    let connection: PostgresConnection

    func count(_ table: ExportedTable) throws -> Int {
        let source = try PostgresExportForm(table, in: connection).source
        return try connection.run([Statement("SELECT count(*) FROM \(source)")])[0].first { try $0.next() } ?? 0
    }

    /// Reads by a cursor, so that neither side has all rows in memory. Its name is that of the table: a connection prepares a
    /// text once, and its rows have the same columns each time.
    func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        let form = try PostgresExportForm(table, in: connection)
        let cursor = "export_\(table.name)"
        let query = form.selection(in: table.order)
        try connection.run([Statement("DECLARE \(cursor) NO SCROLL CURSOR FOR \(query)")])
        var place: Int64 = 0
        while true {
            let rows = try connection.run([Statement("FETCH 2000 FROM \(cursor)")])[0].all { try form.row(&$0) }
            if rows.isEmpty { break }
            for var row in rows {
                place += 1
                if table.hasPlace { row[ExportedTable.place] = .int(place) }
                try receive(row)
            }
        }
        try connection.run([Statement("CLOSE \(cursor)")])
    }
}

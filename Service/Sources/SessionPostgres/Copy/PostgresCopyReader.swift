internal import SessionDomain

/// Reads the rows of one connection in the form of a copy. It is the form in which the server sends them.
struct PostgresCopyReader {
    /// Bytes after which rows are passed.
    private static let batch = 4 << 20

    let connection: PostgresConnection

    func count(_ table: CopiedTable) throws -> Int {
        try connection.run([Statement("SELECT count(*) FROM \(PostgresCopyForm(table).source)")])[0].first {
            try $0.next()
        } ?? 0
    }

    func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        let columns = table.readColumns.map(\.name).joined(separator: ", ")
        let order = table.order.joined(separator: ", ")
        let source = PostgresCopyForm(table).source
        var lines = CopyLines()
        var place = Int64(skipped)
        // Behind a pooler, only a transaction has the settings of a copy.
        try connection.run([.beginReading])
        do {
            try connection.copyOut(
                "COPY (SELECT \(columns) FROM \(source) ORDER BY \(order) OFFSET \(skipped)) TO STDOUT"
            ) { line in
                place += 1
                if table.hasPlace { lines.append(integer: place) }
                lines.appendRest(line: line)
                guard lines.bytes.count >= Self.batch else { return }
                try receive(lines)
                lines = CopyLines()
            }
            try connection.run([.commit])
        } catch {
            _ = try? connection.run([.rollback])
            throw error
        }
        if !lines.isEmpty { try receive(lines) }
    }
}

internal import GRDB

/// Statements are prepared once per connection and cached by their text.
extension Database {
    /// Executes a statement. Returns how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try cachedStatement(sql: sql).execute(arguments: arguments)
        return changesCount
    }

    /// Reads the first row. `nil` if there is none.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments = [], as read: (inout ColumnReader) throws -> Value
    ) throws -> Value? {
        let rows = try CurrentRow.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        guard let row = try rows.next() else { return nil }
        var columns = ColumnReader(row)
        return try read(&columns)
    }

    func all<Value>(
        _ sql: String, _ arguments: StatementArguments = [], as read: (inout ColumnReader) throws -> Value
    ) throws -> [Value] {
        let rows = try CurrentRow.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() {
            var columns = ColumnReader(row)
            values.append(try read(&columns))
        }
        return values
    }

    func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try first(sql, arguments) { try $0.next() } ?? 0
    }
}

internal import GRDB
internal import GRDBSQLite

/// The values of a statement, in the order of its parameters. A text ends at U+0000, which no reader of requests accepts.
struct StatementValues: ExpressibleByArrayLiteral {
    private(set) var all: [(any DatabaseValueConvertible)?]

    init(arrayLiteral values: (any DatabaseValueConvertible)?...) { all = values }

    init(_ values: [(any DatabaseValueConvertible)?]) { all = values }
}

/// Statements are prepared once per connection and cached by their text. They run by SQLite's own functions: GRDB copies the
/// values twice and observes each statement, which took a sixth of the instructions of a refresh in its transaction.
extension Database {
    /// Executes a statement. Returns how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: StatementValues = []) throws -> Int {
        try rows(of: sql, values) { statement in while try step(statement) {} }
        return changesCount
    }

    /// Reads the first row. `nil` if there is none.
    func first<Value>(
        _ sql: String, _ values: StatementValues = [], as read: (inout ColumnReader) throws -> Value
    ) throws -> Value? {
        try rows(of: sql, values) { statement in
            guard try step(statement) else { return nil }
            var columns = ColumnReader(statement)
            return try read(&columns)
        }
    }

    func all<Value>(
        _ sql: String, _ values: StatementValues = [], as read: (inout ColumnReader) throws -> Value
    ) throws -> [Value] {
        var all: [Value] = []
        try forEach(sql, values) { all.append(try read(&$0)) }
        return all
    }

    func forEach(
        _ sql: String, _ values: StatementValues = [], _ body: (inout ColumnReader) throws -> Void
    ) throws {
        try rows(of: sql, values) { statement in
            while try step(statement) {
                var columns = ColumnReader(statement)
                try body(&columns)
            }
        }
    }

    func count(_ sql: String, _ values: StatementValues = []) throws -> Int {
        try first(sql, values) { try $0.next() } ?? 0
    }

    /// Gives a statement its values and resets it at the end, also after an error. A reset statement holds no lock.
    private func rows<Result>(
        of sql: String, _ values: StatementValues, _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        defer {
            sqlite3_reset(statement)
            // The copies of the values, which may be secrets.
            sqlite3_clear_bindings(statement)
        }
        guard sqlite3_bind_parameter_count(statement) == values.all.count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a statement has another number of values")
        }
        var index: CInt = 0
        for value in values.all {
            index += 1
            let code = value?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        return try body(statement)
    }

    /// Whether there is a row.
    private func step(_ statement: SQLiteStatement) throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Without the text of the statement.
    private func failure(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqliteConnection.map(sqlite3_extended_errcode) ?? code),
            message: sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
    }
}

internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SessionDomain
package import SessionSQL

/// GRDB has a type of this name, too.
package typealias Statement = SessionSQL.Statement

/// Statements are prepared once per connection and cached by their text. They run by SQLite's own functions: GRDB copies the
/// values twice and observes each statement, which took a sixth of the instructions of a refresh in its transaction.
extension Database {
    /// Runs a statement of a change.
    ///
    /// - Throws: `FailedGuard` if its guard fails.
    func run(_ statement: Statement) throws {
        switch statement.expects {
        case nil: try run(statement.sql, statement.values)
        case .changes(let failure): try run(statement.sql, statement.values, orFail: failure)
        case .finds(let failure):
            guard try first(statement.sql, statement.values, as: { _ in }) != nil else { throw failure }
        }
    }

    /// Executes a statement whose guard is that it changes a row.
    func run(_ sql: String, _ values: [(any ColumnValue)?], orFail failure: FailedGuard) throws {
        guard try run(sql, values) > 0 else { throw failure }
    }

    /// Executes a statement. Returns how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: [(any ColumnValue)?] = []) throws -> Int {
        try rows(of: sql, values) { statement in while try step(statement) {} }
        return changesCount
    }

    /// Reads the first row. `nil` if there is none.
    func first<Value>(
        _ sql: String, _ values: [(any ColumnValue)?] = [], as read: (inout ColumnReader) throws -> Value
    ) throws -> Value? {
        try rows(of: sql, values) { statement in
            guard try step(statement) else { return nil }
            var columns = ColumnReader(SQLiteRow(statement))
            return try read(&columns)
        }
    }

    func all<Value>(
        _ sql: String, _ values: [(any ColumnValue)?] = [], as read: (inout ColumnReader) throws -> Value
    ) throws -> [Value] {
        var all: [Value] = []
        try forEach(sql, values) { all.append(try read(&$0)) }
        return all
    }

    func forEach(
        _ sql: String, _ values: [(any ColumnValue)?] = [], _ body: (inout ColumnReader) throws -> Void
    ) throws {
        try rows(of: sql, values) { statement in
            while try step(statement) {
                var columns = ColumnReader(SQLiteRow(statement))
                try body(&columns)
            }
        }
    }

    func count(_ sql: String, _ values: [(any ColumnValue)?] = []) throws -> Int {
        try first(sql, values) { try $0.next() } ?? 0
    }

    /// Gives a statement its values and resets it at the end, also after an error. A reset statement holds no lock.
    private func rows<Result>(
        of sql: String, _ values: [(any ColumnValue)?], _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        defer {
            sqlite3_reset(statement)
            // The copies of the values, which may be secrets.
            sqlite3_clear_bindings(statement)
        }
        guard sqlite3_bind_parameter_count(statement) == values.count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a statement has another number of values")
        }
        var index: CInt = 0
        for value in values {
            index += 1
            guard Self.isInOrder(statement, index) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "a statement does not name its parameters in their order")
            }
            let code = value?.stored.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        return try body(statement)
    }

    /// SQLite numbers parameters as they appear. A name such as `$2` is only a name.
    private static func isInOrder(_ statement: SQLiteStatement, _ index: CInt) -> Bool {
        guard let name = sqlite3_bind_parameter_name(statement, index), name.pointee == CChar(UInt8(ascii: "$")) else {
            return true
        }
        return atoi(name + 1) == index
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

/// The rows of a statement, which runs when they are read.
struct SQLiteRows: StoredRows {
    let db: Database
    let statement: Statement

    func first<Value>(_ read: (inout ColumnReader) throws -> Value) throws -> Value? {
        try db.first(statement.sql, statement.values, as: read)
    }

    func all<Value>(_ read: (inout ColumnReader) throws -> Value) throws -> [Value] {
        try db.all(statement.sql, statement.values, as: read)
    }
}

/// The row at which a statement is.
private struct SQLiteRow: StoredRow {
    private let statement: SQLiteStatement

    init(_ statement: SQLiteStatement) { self.statement = statement }

    func integer(_ column: Int) throws -> Int64? {
        try has(SQLITE_INTEGER, column) ? sqlite3_column_int64(statement, CInt(column)) : nil
    }

    func boolean(_ column: Int) throws -> Bool? { try integer(column).map { $0 != 0 } }

    func text(_ column: Int) throws -> String? {
        try has(SQLITE_TEXT, column) ? String(cString: sqlite3_column_text(statement, CInt(column))) : nil
    }

    func bytes(_ column: Int) throws -> Data? {
        guard try has(SQLITE_BLOB, column) else { return nil }
        guard let bytes = sqlite3_column_blob(statement, CInt(column)) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, CInt(column))))
    }

    /// - Returns: Whether there is a value of this type. `false`: NULL.
    /// - Throws: `StoreError.unavailable` for a value of another type.
    private func has(_ type: CInt, _ column: Int) throws -> Bool {
        switch sqlite3_column_type(statement, CInt(column)) {
        case type: return true
        case SQLITE_NULL: return false
        default: throw StoreError.unreadableRow
        }
    }
}

extension StoredValue {
    /// A text ends at U+0000, which no reader of requests accepts.
    fileprivate func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .boolean(let flag): sqlite3_bind_int64(statement, index, flag ? 1 : 0)
        case .text(let text): text.bind(to: statement, at: index)
        case .bytes(let bytes): bytes.bind(to: statement, at: index)
        }
    }
}

extension StoreError {
    /// Describes an error without the values of a statement, which may be secrets.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
            self = .damaged(error.message ?? "no message")
        case let error as DatabaseError:
            self = .unavailable("SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")")
        case is RowDecodingError: self = .unavailable("a stored row cannot be read")
        default: self = .unavailable("\(type(of: error))")
        }
    }
}

internal import GRDB
internal import SessionDomain

/// Reads the columns of a row from left to right, in the order of the statement.
struct ColumnReader {
    private let statement: SQLiteStatement
    private var index: CInt = 0

    init(_ row: CurrentRow) { statement = row.statement }

    /// - Throws: `StoreError.unavailable` for a value of another type, and for NULL if the type is not optional.
    mutating func next<Value: DatabaseValueConvertible & StatementColumnConvertible>() throws -> Value {
        try value(Value.fromStatement(statement, atUncheckedIndex: index))
    }

    /// - Throws: As above.
    mutating func next<Value: DatabaseValueConvertible>() throws -> Value {
        try value(Value.fromDatabaseValue(DatabaseValue(sqliteStatement: statement, index: index)))
    }

    private mutating func value<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw StoreError.unavailable("a stored row cannot be read") }
        index += 1
        return value
    }
}

/// The row at which a statement is. It is valid until the cursor goes on.
///
/// For each query, GRDB's `Row` makes a dictionary of the names of all columns. Statements of the store name their columns,
/// in the order in which `ColumnReader` reads them. So this value is the statement itself. For a refresh, the dictionaries
/// took 74 000 instructions of 2.4 million.
struct CurrentRow: DatabaseValueConvertible, StatementColumnConvertible {
    let statement: SQLiteStatement

    /// GRDB asks for the value of the first column, also if that is NULL.
    static func fromStatement(_ statement: SQLiteStatement, atUncheckedIndex index: CInt) -> CurrentRow? {
        CurrentRow(sqliteStatement: statement, index: index)
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> CurrentRow? { nil }

    var databaseValue: DatabaseValue { .null }

    init?(sqliteStatement: SQLiteStatement, index: CInt) { statement = sqliteStatement }
}

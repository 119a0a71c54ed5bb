internal import GRDB
internal import SessionDomain

/// Reads the columns of a row from left to right, in the order of the statement.
struct ColumnReader {
    private let statement: SQLiteStatement
    private var index: CInt = 0

    /// - Parameter statement: It is at a row, and stays there as long as this value is used.
    init(_ statement: SQLiteStatement) { self.statement = statement }

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

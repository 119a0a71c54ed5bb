internal import CPostgres
internal import SessionDomain

/// The rows of one statement.
final class Rows {
    private let result: OpaquePointer

    /// - Parameter result: A result of libpq, which this object frees.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { pq_clear(result) }

    var count: Int { Int(pq_row_count(result)) }

    /// The number of rows that the statement changed.
    var changed: Int { pq_changed_rows(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    func first<Value>(_ read: (inout ColumnReader) throws -> Value) throws -> Value? {
        guard count > 0 else { return nil }
        return try self.read(0, read)
    }

    func all<Value>(_ read: (inout ColumnReader) throws -> Value) throws -> [Value] {
        try (0..<count).map { try self.read($0, read) }
    }

    private func read<Value>(_ row: Int, _ read: (inout ColumnReader) throws -> Value) throws -> Value {
        var columns = ColumnReader(self, row: row)
        return try read(&columns)
    }

    /// `nil` for NULL.
    fileprivate func text(_ row: Int, _ column: Int) -> String? {
        let (row, column) = (CInt(row), CInt(column))
        guard column < pq_column_count(result), pq_is_null(result, row, column) == 0 else { return nil }
        return pq_value(result, row, column).map { String(cString: $0) }
    }
}

/// Reads the columns of a row from left to right, in the order of the statement.
struct ColumnReader {
    private let rows: Rows
    private let row: Int
    private var column = 0

    fileprivate init(_ rows: Rows, row: Int) {
        self.rows = rows
        self.row = row
    }

    /// - Throws: `StoreError.unavailable` for a value of another type, and for NULL.
    mutating func next<Value: PostgresValue>() throws -> Value {
        guard let value: Value = try next() else { throw Self.unreadable }
        return value
    }

    /// - Returns: `nil` for NULL.
    /// - Throws: `StoreError.unavailable` for a value of another type.
    mutating func next<Value: PostgresValue>() throws -> Value? {
        defer { column += 1 }
        guard let text = rows.text(row, column) else { return nil }
        guard let value = Value(postgresText: text) else { throw Self.unreadable }
        return value
    }

    private static var unreadable: StoreError { .unavailable("a stored row cannot be read") }
}

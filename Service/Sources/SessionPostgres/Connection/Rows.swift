internal import CPostgres
internal import Foundation
internal import SessionDomain
internal import SessionSQL

/// The rows of one statement.
final class Rows: StoredRows {
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
        var columns = ColumnReader(PostgresRow(rows: self, row: row))
        return try read(&columns)
    }

    /// `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        let (row, column) = (CInt(row), CInt(column))
        guard column < pq_column_count(result), pq_is_null(result, row, column) == 0 else { return nil }
        return pq_value(result, row, column).map { String(cString: $0) }
    }
}

extension StoredValue {
    /// In PostgreSQL's text format.
    var postgresText: String {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "t" : "f"
        case .text(let text): text
        // The hexadecimal format of `bytea`.
        case .bytes(let bytes): "\\x" + Hex.text(bytes)
        }
    }
}

/// A row in PostgreSQL's text format.
struct PostgresRow: StoredRow {
    let rows: Rows
    let row: Int

    func text(_ column: Int) -> String? { rows.text(row, column) }

    func integer(_ column: Int) throws -> Int64? { try read(column) { Int64($0) } }

    func boolean(_ column: Int) throws -> Bool? { try read(column) { ["t": true, "f": false][$0] } }

    func bytes(_ column: Int) throws -> Data? {
        try read(column) { text in text.hasPrefix("\\x") ? Hex.bytes(text.dropFirst(2)).map { Data($0) } : nil }
    }

    /// - Throws: `StoreError.unavailable` for a text that is no value of this type.
    private func read<Value>(_ column: Int, _ parse: (String) -> Value?) throws -> Value? {
        guard let text = text(column) else { return nil }
        guard let value = parse(text) else { throw StoreError.unreadableRow }
        return value
    }
}

/// An array of texts, for `ANY` and `ALL`.
struct TextArray: ColumnValue {
    let texts: [String]

    init(_ texts: [String]) { self.texts = texts }

    /// Each text in quotes, with a backslash before quotes and backslashes.
    var stored: StoredValue {
        let quoted = texts.map { text in
            var escaped = "\""
            for character in text.unicodeScalars {
                if character == "\"" || character == "\\" { escaped.unicodeScalars.append("\\") }
                escaped.unicodeScalars.append(character)
            }
            return escaped + "\""
        }
        return .text("{" + quoted.joined(separator: ",") + "}")
    }

    /// Arrays are only sent.
    static func read(_ row: any StoredRow, _ column: Int) throws -> TextArray? { throw StoreError.unreadableRow }
}

/// Pairs of hexadecimal digits.
private enum Hex {
    static func text(_ bytes: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(ascii: "a") <= $0 ? $0 &- 87 : $0 &- 48 }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension Statement {
    /// Whether a transaction begins with it.
    var isBegin: Bool { sql.hasPrefix("BEGIN") }

    /// The text, which checks the guard.
    ///
    /// A guard must fail in the server, because the commit is already on its way: a division by zero does that, and the server
    /// then rolls back instead. Nothing else in these statements divides.
    var checkedText: String {
        switch expects {
        case nil: sql
        case .changes: "WITH changed AS (\(sql) RETURNING 1) SELECT 1 / count(*) FROM changed"
        case .finds: "SELECT 1 / count(*) FROM (\(sql)) AS found"
        }
    }

    /// What a division by zero means.
    var failure: FailedGuard? {
        switch expects {
        case nil: nil
        case .changes(let failure), .finds(let failure): failure
        }
    }

    /// The values in PostgreSQL's text format.
    var texts: [String?] { values.map { $0?.stored.postgresText } }
}

/// Texts for a function of C that takes an array of pointers. The array ends with NULL.
final class CStrings {
    private var pointers: [UnsafeMutablePointer<CChar>?]

    /// Whether no text contains NUL, which ends a text of C.
    let areWhole: Bool

    /// - Parameter texts: `nil` becomes NULL.
    init(_ texts: [String?]) {
        pointers = texts.map { $0.flatMap { strdup($0) } } + [nil]
        areWhole = zip(texts, pointers).allSatisfy { text, pointer in
            pointer.map { strlen($0) == text?.utf8.count } ?? (text == nil)
        }
    }

    deinit { for pointer in pointers { free(pointer) } }

    func with<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> Result) rethrows -> Result {
        try pointers.withUnsafeBufferPointer { buffer in
            try buffer.baseAddress.map { base in
                try base.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: buffer.count) { try body($0) }
            } ?? body(nil)
        }
    }
}

internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SessionDomain

/// Reads the rows of one connection in the form of a copy.
struct SQLiteCopyReader {
    /// Rows and bytes after which they are passed.
    static let batch = (rows: 10_000, bytes: 4 << 20)

    let db: Database

    /// - Throws: `StoreError.newerSchema` or `StoreError.olderSchema` for another schema than that of this version.
    static func checkSchema(of db: Database) throws {
        let (found, supported) = (try Migration.version(of: db), SQLiteStore.supportedSchema)
        if found > supported { throw StoreError.newerSchema(found: found, supported: supported) }
        if found < supported { throw StoreError.olderSchema(found: found, supported: supported) }
    }

    func count(_ table: CopiedTable) throws -> Int { try db.count(SQLiteCopyForm(table).count) }

    func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        // The connection keeps it.
        let statement = try db.cachedStatement(sql: SQLiteCopyForm(table).selection(table, skipping: skipped))
            .sqliteStatement
        defer { sqlite3_reset(statement) }
        var lines = CopyLines()
        var place = Int64(skipped)
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else {
                    let reason = sqlite3_errmsg(db.sqliteConnection).map { String(cString: $0) }
                    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: reason)
                }
                break
            }
            place += 1
            if table.hasPlace { lines.append(integer: place) }
            for (index, column) in table.readColumns.enumerated() {
                Self.append(column, of: statement, CInt(index), to: &lines)
            }
            lines.endRow()
            if lines.rows >= Self.batch.rows || lines.bytes.count >= Self.batch.bytes {
                try receive(lines)
                lines = CopyLines()
            }
        }
        if !lines.isEmpty { try receive(lines) }
    }

    private static func append(
        _ column: CopiedTable.Column, of statement: SQLiteStatement, _ index: CInt, to lines: inout CopyLines
    ) {
        guard sqlite3_column_type(statement, index) != SQLITE_NULL else { return lines.appendNull() }
        switch column.kind {
        case .text:
            // First the pointer, because it may convert the value, and then its length.
            let start = UnsafeRawPointer(sqlite3_column_text(statement, index))
            let count = Int(sqlite3_column_bytes(statement, index))
            lines.append(text: UnsafeRawBufferPointer(start: start, count: count))
        case .bytes:
            let start = sqlite3_column_blob(statement, index)
            let count = Int(sqlite3_column_bytes(statement, index))
            lines.append(data: UnsafeRawBufferPointer(start: start, count: count))
        case .boolean: lines.append(boolean: sqlite3_column_int64(statement, index) != 0)
        case .integer, .place: lines.append(integer: sqlite3_column_int64(statement, index))
        }
    }
}

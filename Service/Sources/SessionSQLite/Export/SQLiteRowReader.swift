internal import GRDB
internal import GRDBSQLite
internal import SessionDomain
internal import SessionTokens

/// Reads the rows of one connection for an export.
struct SQLiteRowReader {
    let db: Database

    /// - Throws: `StoreError.newerSchema` or `StoreError.olderSchema` for another schema than that of this version.
    static func checkSchema(of db: Database) throws {
        let (found, supported) = (try Migration.version(of: db), SQLiteStore.supportedSchema)
        if found > supported { throw StoreError.newerSchema(found: found, supported: supported) }
        if found < supported { throw StoreError.olderSchema(found: found, supported: supported) }
    }

    func count(_ table: ExportedTable) throws -> Int { try db.count(SQLiteExportForm(table, in: db).count) }

    func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        let form = try SQLiteExportForm(table, in: db)
        let columns = form.readColumns
        // The connection keeps it.
        let statement = try db.cachedStatement(sql: form.selection(in: table.order)).sqliteStatement
        defer { sqlite3_reset(statement) }
        var place: Int64 = 0
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else {
                    let reason = sqlite3_errmsg(db.sqliteConnection).map { String(cString: $0) }
                    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: reason)
                }
                return
            }
            place += 1
            var row: ExportedRow = table.hasPlace ? [ExportedTable.place: .int(place)] : [:]
            for (index, column) in columns.enumerated() {
                row[column.name] = Self.value(of: statement, CInt(index), column.kind)
            }
            try receive(row)
        }
    }

    private static func value(of statement: SQLiteStatement, _ index: CInt, _ kind: ExportedKind) -> JSONValue {
        guard sqlite3_column_type(statement, index) != SQLITE_NULL else { return .null }
        switch kind {
        case .integer: return .int(sqlite3_column_int64(statement, index))
        case .text:
            // First the pointer, because it may convert the value, and then its length.
            let start = UnsafeRawPointer(sqlite3_column_text(statement, index))
            let count = Int(sqlite3_column_bytes(statement, index))
            return .string(String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self))
        case .bytes:
            let start = sqlite3_column_blob(statement, index)
            let count = Int(sqlite3_column_bytes(statement, index))
            return .string(Base64URL.encode(UnsafeRawBufferPointer(start: start, count: count)))
        }
    }
}

internal import GRDB
internal import GRDBSQLite
package import SessionDomain
internal import SessionTokens

/// A database file that is exported, in one transaction. The service may run: its log grows until the end.
package final class SQLiteExportSource: ExportSource {
    private let lock: DatabaseLock
    private let database: DatabaseQueue

    /// - Throws: `StoreError.missing`, `.damaged`, `.olderSchema`, `.newerSchema`; `.inUse` while it is replaced.
    package init(_ path: String) throws(StoreError) {
        do {
            let path = try DatabaseFile.resolved(path)
            try NewDatabase.prepare(at: path, opening: .existing)
            lock = try DatabaseLock(path, .shared)
            try LostFiles.refuse(at: path, lock: lock)
            var configuration = ConnectionSettings.configuration
            configuration.readonly = true
            configuration.allowsUnsafeTransactions = true
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN")
                try DatabaseCheck.run(db)
                try SQLiteRowReader.checkSchema(of: db)
            }
        } catch {
            throw StoreError(error)
        }
    }

    package func isInUse() throws -> Bool { try explained { try !lock.isAlone() } }

    package func close() {
        try? database.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try? database.close()
        lock.release()
    }

    package func count(_ table: ExportedTable) throws -> Int {
        try explained { try database.writeWithoutTransaction { try SQLiteRowReader(db: $0).count(table) } }
    }

    package func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        try explained { try database.writeWithoutTransaction { try SQLiteRowReader(db: $0).read(table, receive) } }
    }
}

/// Where the embedded store keeps the rows of a table.
struct SQLiteExportForm {
    struct Column {
        /// That of the export.
        let name: String
        /// What is read for it.
        let expression: String
        let kind: ExportedKind
        /// Whether this store keeps the column, and does not derive it.
        var isKept = true
    }

    /// Columns of this store that no export contains: each database gives its messages numbers of its own.
    static let unexported = ["messages.sequence"]

    /// The table of this store.
    let table: String
    /// What a query reads after `FROM`.
    private let source: String
    let columns: [Column]

    /// Reads the columns that the database has.
    init(_ exported: ExportedTable, in db: Database) throws {
        switch exported.name {
        case "redemptions":
            table = "redeemed_challenges"
            source = table
            columns = try Self.columns(of: table, in: db, named: ["challenge_id": "id"])
        case "external_ids":
            // A unique index of the users.
            table = "users"
            source = "users WHERE external_id IS NOT NULL"
            columns = [("app_id", "app_id"), ("external_id", "external_id"), ("user_id", "id")].map {
                Column(name: $0.0, expression: $0.1, kind: .text, isKept: false)
            }
        case "messages":
            table = "messages"
            source = table
            // `MessageContent.code`.
            let hasCode = Column(
                name: "has_code", expression: "content ->> 'code' IS NOT NULL", kind: .integer, isKept: false)
            columns = try Self.columns(of: table, in: db) + [hasCode]
        default:
            table = exported.name
            source = table
            columns = try Self.columns(of: table, in: db)
        }
    }

    private static func columns(of table: String, in db: Database, named names: [String: String] = [:]) throws
        -> [Column]
    {
        try db.columns(in: table).filter { !unexported.contains("\(table).\($0.name)") }.map { column in
            let kind: ExportedKind
            switch column.type {
            case "TEXT": kind = .text
            case "INTEGER": kind = .integer
            case "BLOB": kind = .bytes
            default: throw StoreError.unavailable("\(table).\(column.name) has a type that no export has")
            }
            return Column(name: names[column.name] ?? column.name, expression: column.name, kind: kind)
        }
    }

    /// The columns that a query reads. The place is counted.
    var readColumns: [Column] { columns.filter { $0.name != ExportedTable.place } }

    /// The columns of an insert.
    var keptColumns: [Column] { columns.filter(\.isKept) }

    func selection(in order: [String]) -> String {
        let names = order.map { name in columns.first { $0.name == name }?.expression ?? name }
        return """
            SELECT \(readColumns.map(\.expression).joined(separator: ", ")) FROM \(source)
            ORDER BY \(names.joined(separator: ", "))
            """
    }

    var count: String { "SELECT count(*) FROM \(source)" }

    /// Inserts one row. `nil` for a table whose rows come with another one.
    var insertion: String? {
        guard !keptColumns.isEmpty else { return nil }
        let names = keptColumns.map(\.expression).joined(separator: ", ")
        return "INSERT INTO \(table) (\(names)) VALUES (\(keptColumns.map { _ in "?" }.joined(separator: ", ")))"
    }
}

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

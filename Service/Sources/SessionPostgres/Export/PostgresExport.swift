internal import Foundation
package import SessionDomain
internal import SessionSQL
internal import SessionTokens

/// A database that is exported, in one transaction. Services may use it.
package final class PostgresExportSource: ExportSource {
    private let connection: PostgresConnection

    /// - Throws: `StoreError.olderSchema`, `.newerSchema`, `.unfinishedImport`.
    package init(_ location: PostgresLocation) throws {
        let connection = try PostgresConnection.forExport(location)
        self.connection = connection
        try explained {
            try ImportMarker.refuse(in: connection)
            try Migration.check(try Migrator(connection: connection).version())
            try connection.run([.beginReading])
        }
    }

    /// By connections that have the name which `PostgresServer` gives them, or a longer one, as `PostgresStore.watchName`.
    /// Behind a pooler, it can be that of any of them.
    package func isInUse() throws -> Bool {
        try explained {
            try connection.run([
                Statement(
                    """
                    SELECT count(*) > 0 FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                        AND starts_with(application_name, current_setting('application_name'))
                    """)
            ])[0].first { try $0.next() } ?? false
        }
    }

    package func count(_ table: ExportedTable) throws -> Int {
        try explained { try PostgresRowReader(connection: connection).count(table) }
    }

    package func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        try explained { try PostgresRowReader(connection: connection).read(table, receive) }
    }

    /// The connection ends with this object, and its transaction with it.
    package func close() {}
}

/// Where PostgreSQL keeps the rows of a table.
struct PostgresExportForm {
    struct Column {
        let name: String
        /// The type that the server has for it.
        let type: String
        let kind: ExportedKind

        fileprivate var quoted: String { "\"\(name)\"" }
        fileprivate var isBoolean: Bool { type == "boolean" }
    }

    /// What a query reads after `FROM`.
    let source: String
    /// The table that gets imported rows.
    let target: String
    let columns: [Column]

    /// Reads the columns that the database has.
    init(_ table: ExportedTable, in connection: PostgresConnection) throws {
        let isOfProofs = table.name == "proofs"
        source = isOfProofs ? Self.proofs : table.name
        target = isOfProofs ? "copied_proofs" : table.name
        columns = try connection.run([Statement(Self.catalogue, [target])])[0].all { row in
            let (name, type) = (try row.next() as String, try row.next() as String)
            let kind: ExportedKind
            switch type {
            case "text": kind = .text
            case "bigint", "boolean": kind = .integer
            case "bytea": kind = .bytes
            default: throw StoreError.unavailable("\(table.name).\(name) has a type that no export has")
            }
            return Column(name: name, type: type, kind: kind)
        }
    }

    private static let catalogue = """
        SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute
        WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
        """

    /// `ProofUse.shortKey`, of the proofs that this database has seen, and of those that an import brought. A proof that was
    /// used again after it expired is in both.
    static let proofs = """
        (
            SELECT app_id, key, max(expires_at) AS expires_at FROM (
                SELECT app_id, expires_at,
                    ('x' || encode(substr(decode(translate(replay_key, '-_', '+/') || '=', 'base64'), 1, 8), 'hex'))
                        ::bit(64)::bigint AS key
                FROM proofs
                UNION ALL SELECT app_id, expires_at, key FROM copied_proofs
            ) AS used GROUP BY app_id, key
        ) AS short_proofs
        """

    /// The columns that a query reads. The place is counted.
    private var readColumns: [Column] { columns.filter { $0.name != ExportedTable.place } }

    func selection(in order: [String]) -> String {
        let names = readColumns.map { $0.quoted + ($0.isBoolean ? "::integer" : "") }.joined(separator: ", ")
        return "SELECT \(names) FROM \(source) ORDER BY \(order.joined(separator: ", "))"
    }

    func row(_ columns: inout ColumnReader) throws -> ExportedRow {
        var row: ExportedRow = [:]
        for column in readColumns {
            row[column.name] =
                switch column.kind {
                case .text: (try columns.next() as String?).map(JSONValue.string) ?? .null
                case .integer: (try columns.next() as Int64?).map(JSONValue.int) ?? .null
                case .bytes: (try columns.next() as Data?).map { .string(Base64URL.encode($0)) } ?? .null
                }
        }
        return row
    }

    /// Inserts rows. The server reads them from one value, by the names and types of their columns.
    func insertion(of rows: [ExportedRow]) -> Statement {
        let names = columns.map(\.quoted).joined(separator: ", ")
        let values = columns.map { $0.quoted + ($0.isBoolean ? " <> 0" : "") }.joined(separator: ", ")
        let types = columns.map { "\($0.quoted) \($0.isBoolean ? "bigint" : $0.type)" }.joined(separator: ", ")
        let texts = rows.map { String(decoding: TokenJSON.write(stored($0)), as: UTF8.self) }
        return Statement(
            """
            INSERT INTO \(target) (\(names)) SELECT \(values) FROM json_to_recordset($1::json) AS imported (\(types))
            """, ["[" + texts.joined(separator: ",") + "]"])
    }

    private func stored(_ row: ExportedRow) -> ExportedRow {
        var row = row
        for column in columns where column.kind == .bytes {
            guard let bytes = row[column.name]?.stringValue.flatMap({ Base64URL.decode($0) }) else { continue }
            row[column.name] = .string(bytes.stored.postgresText)
        }
        return row
    }
}

/// Reads the rows of one connection for an export, in a transaction that the caller has begun.
struct PostgresRowReader {
    let connection: PostgresConnection

    func count(_ table: ExportedTable) throws -> Int {
        let source = try PostgresExportForm(table, in: connection).source
        return try connection.run([Statement("SELECT count(*) FROM \(source)")])[0].first { try $0.next() } ?? 0
    }

    /// Reads by a cursor, so that neither side has all rows in memory. Its name is that of the table: a connection prepares a
    /// text once, and its rows have the same columns each time.
    func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        let form = try PostgresExportForm(table, in: connection)
        let cursor = "export_\(table.name)"
        let query = form.selection(in: table.order)
        try connection.run([Statement("DECLARE \(cursor) NO SCROLL CURSOR FOR \(query)")])
        var place: Int64 = 0
        while true {
            let rows = try connection.run([Statement("FETCH 2000 FROM \(cursor)")])[0].all { try form.row(&$0) }
            if rows.isEmpty { break }
            for var row in rows {
                place += 1
                if table.hasPlace { row[ExportedTable.place] = .int(place) }
                try receive(row)
            }
        }
        try connection.run([Statement("CLOSE \(cursor)")])
    }
}

extension PostgresConnection {
    /// Milliseconds that the server may take for one step. It may have to sort or write much at once.
    private static let patienceOfExports = 600_000

    /// A connection without the limits of requests.
    static func forExport(_ location: PostgresLocation) throws(StoreError) -> PostgresConnection {
        do {
            return try PostgresServer(location: location, patience: patienceOfExports, isUnhurried: true).connect()
        } catch {
            throw StoreError(error)
        }
    }
}

extension Migration {
    /// - Throws: `StoreError.newerSchema` or `StoreError.olderSchema` for another schema than that of this version.
    static func check(_ schema: Int) throws {
        if schema > supported { throw StoreError.newerSchema(found: schema, supported: supported) }
        if schema < supported { throw StoreError.olderSchema(found: schema, supported: supported) }
    }
}

/// Runs a step of an export or an import, and describes failures of the server without values of rows.
func explained<Answer>(_ work: () throws -> Answer) throws -> Answer {
    do {
        return try work()
    } catch let failure as PostgresFailure {
        throw failure.kind == .refused(.stale) ? ImportError.overtaken : StoreError(failure)
    }
}

internal import Foundation
internal import SessionDomain
internal import SessionTokens

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
            row[column.name] = .string(bytes.postgresText)
        }
        return row
    }
}

internal import GRDB
internal import SessionDomain

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

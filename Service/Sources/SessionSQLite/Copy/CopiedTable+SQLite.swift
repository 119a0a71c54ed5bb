internal import SessionDomain

/// Where the embedded store keeps the rows of a table.
struct SQLiteCopyForm {
    /// The table of this store.
    let table: String
    /// What a query reads after `FROM`.
    private let source: String
    /// What is read or written for a column that has another name here, or none.
    private let expressions: [String: String]

    private init(_ table: String, _ expressions: [String: String] = [:], source: String? = nil) {
        self.table = table
        self.source = source ?? table
        self.expressions = expressions
    }

    init(_ table: CopiedTable) {
        self =
            switch table.name {
            case "redemptions": Self("redeemed_challenges", ["id": "challenge_id"])
            // A unique index of the users.
            case "external_ids": Self("users", ["user_id": "id"], source: "users WHERE external_id IS NOT NULL")
            // `MessageContent.code`.
            case "messages": Self("messages", ["has_code": "content ->> 'code' IS NOT NULL"])
            default: Self(table.name)
            }
    }

    /// Columns of this store that no copy contains: each database gives its messages numbers of its own.
    static let uncopied = ["messages.sequence"]

    func expression(_ column: String) -> String { expressions[column] ?? column }

    func selection(_ table: CopiedTable, skipping skipped: Int) -> String {
        let columns = table.readColumns.map { expression($0.name) }.joined(separator: ", ")
        let order = table.order.map(expression).joined(separator: ", ")
        return "SELECT \(columns) FROM \(source) ORDER BY \(order) LIMIT -1 OFFSET \(skipped)"
    }

    var count: String { "SELECT count(*) FROM \(source)" }

    /// Inserts one row. `nil` for a table whose rows come with another one.
    func insertion(_ table: CopiedTable) -> String? {
        guard table.name != "external_ids" else { return nil }
        let columns = writtenColumns(table)
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(self.table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
    }

    /// The columns of an insert.
    func writtenColumns(_ table: CopiedTable) -> [String] {
        table.columns.filter { isWritten($0) }.map { expression($0.name) }
    }

    /// Whether this store keeps a column, and does not derive it.
    func isWritten(_ column: CopiedTable.Column) -> Bool { !expression(column.name).contains(" ") }
}

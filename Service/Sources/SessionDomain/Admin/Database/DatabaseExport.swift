package import Foundation
package import SessionTokens

/// How far an export or an import is.
package struct ExportProgress: Sendable, Equatable {
    package enum Step: String, Sendable { case exporting, importing, comparing }

    package let step: Step
    package let table: String
    /// Rows of all tables that this step has behind it, and those of this run.
    package let rows: Int
    package let rowsOfRun: Int
    package let total: Int

    package init(step: Step, table: String, rows: Int, rowsOfRun: Int, total: Int) {
        self.step = step
        self.table = table
        self.rows = rows
        self.rowsOfRun = rowsOfRun
        self.total = total
    }
}

/// The first line of an export.
struct ExportHeader: Equatable {
    static let format = "prelude-session export 1"

    /// The newest schema number of the program, whichever store it is for.
    let schema: Int
    /// The number of rows by table. A file that ends before is not whole.
    let counts: [String: Int]

    var line: [UInt8] {
        let tables = counts.mapValues { JSONValue.int(Int64($0)) }
        return TokenJSON.write([
            "format": .string(Self.format), "schema": .int(Int64(schema)), "tables": .object(tables),
        ]) + [UInt8(ascii: "\n")]
    }
}

/// Writes everything that a store keeps as lines of JSON: a header, and a line for each row.
package struct DatabaseExport {
    /// Bytes that are written at once.
    private static let block = 1 << 20

    private let source: any ExportSource
    private let schema: Int
    private let report: (ExportProgress) -> Void

    package init(of source: any ExportSource, schema: Int, report: @escaping (ExportProgress) -> Void) {
        self.source = source
        self.schema = schema
        self.report = report
    }

    /// - Returns: The number of rows.
    package func write(to receive: (Data) throws -> Void) throws -> Int {
        var counts: [String: Int] = [:]
        for table in ExportedTable.all { counts[table.name] = try source.count(table) }
        let total = counts.values.reduce(0, +)
        var (bytes, done) = (ExportHeader(schema: schema, counts: counts).line, 0)
        for table in ExportedTable.all where counts[table.name] != 0 {
            let show = {
                report(.init(step: .exporting, table: table.name, rows: done, rowsOfRun: done, total: total))
            }
            show()
            try source.read(table) { row in
                bytes += table.line(of: row)
                done += 1
                guard bytes.count >= Self.block else { return }
                try receive(Data(bytes))
                bytes.removeAll(keepingCapacity: true)
                show()
            }
        }
        try receive(Data(bytes))
        return done
    }
}

/// The values of a row by the names of its columns.
package typealias ExportedRow = [String: JSONValue]

/// A table of an export, with the names that PostgreSQL has for it. Its columns are those that the database has.
package struct ExportedTable: Sendable, Equatable {
    /// The column with the place among the rows of a table, from 1. Each store counts in its own way, so an export keeps only
    /// the order.
    package static let place = "sequence"

    package let name: String
    /// Columns that are unique together. Rows are exported and compared in their order.
    package let order: [String]

    private init(_ name: String, by order: String) {
        self.name = name
        self.order = order.split(separator: " ").map(String.init)
    }

    package var hasPlace: Bool { order.first == Self.place }

    /// A row as it is written: a JSON object with sorted members, and a newline. Equal rows have equal bytes in both stores.
    package func line(of row: ExportedRow) -> [UInt8] {
        var members = row
        members["table"] = .string(name)
        return TokenJSON.write(members) + [UInt8(ascii: "\n")]
    }

    /// Everything that a store keeps. A row comes after the rows to which it belongs.
    package static let all = [
        ExportedTable("apps", by: "id"),
        ExportedTable("signing_keys", by: "sequence app_id purpose key_id"),
        ExportedTable("management_keys", by: "id"),
        ExportedTable("users", by: "app_id id"),
        ExportedTable("external_ids", by: "app_id external_id"),
        ExportedTable("identifiers", by: "app_id type canonical"),
        ExportedTable("passkeys", by: "app_id id"),
        ExportedTable("sessions", by: "app_id id"),
        ExportedTable("proofs", by: "app_id key"),
        ExportedTable("redemptions", by: "app_id id"),
        ExportedTable("deleted_redemptions", by: "app_id kind expiry_hour"),
        ExportedTable("verifications", by: "app_id token_hash"),
        ExportedTable("counters", by: "app_id key"),
        ExportedTable("challenges", by: "app_id id"),
        ExportedTable("grants", by: "app_id id"),
        ExportedTable("events", by: "sequence app_id id"),
        ExportedTable("webhooks", by: "app_id id"),
        ExportedTable("webhook_deliveries", by: "sequence app_id webhook_id event_id"),
        ExportedTable("messages", by: "app_id id"),
    ]
}

/// What a column of an export has, or null.
package enum ExportedKind: Sendable, Equatable {
    case text
    /// A whole number of 64 bits. A boolean is 0 or 1, because SQLite has no other.
    case integer
    /// A text in base64url.
    case bytes

    /// What is wrong with a value: the end of a sentence that begins with the name of the column. `nil`: nothing.
    func problem(of value: JSONValue) -> String? {
        switch (self, value) {
        case (_, .null), (.text, .string), (.integer, .int): nil
        case (.bytes, .string(let text)) where Base64URL.decode(text) != nil: nil
        case (.text, _): "must be a text, or null"
        case (.integer, _): "must be a whole number of 64 bits, or null"
        case (.bytes, _): "must be a text in base64url, or null"
        }
    }
}

/// A store whose rows are read.
package protocol RowSource {
    /// How many rows the table has.
    func count(_ table: ExportedTable) throws -> Int

    /// Passes the rows of a table in their order.
    func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws

    func close()
}

/// A store that is exported: all rows are those of one moment. Services may use it.
package protocol ExportSource: RowSource {
    /// Whether a service or a command has it open.
    func isInUse() throws -> Bool
}

/// A store that an import fills. Its rows can be read, to compare them. No service uses it before the end.
package protocol ImportTarget: RowSource {
    /// Creates the tables for an import, or finds the place where an earlier run has stopped.
    ///
    /// - Parameter start: The place after the header.
    /// - Throws: `ImportError.notEmpty` or `ImportError.overtaken`.
    func begin(at start: ImportPlace) throws -> ImportPlace

    func columns(of table: ExportedTable) throws -> [String: ExportedKind]

    /// Writes rows and the new place in one transaction.
    ///
    /// - Throws: `ImportError.overtaken` if another process has written meanwhile, `ImportError.unstorable`.
    func append(_ rows: [ExportedRow], to table: ExportedTable, from place: ImportPlace, to next: ImportPlace) throws

    /// Makes the store usable for services.
    func finish() throws
}

/// How much of a file is imported.
package struct ImportPlace: Sendable, Equatable {
    /// With the header.
    package let lines: Int
    /// That of these lines, in hexadecimal digits. Another file has another one.
    package let sha256: String

    package init(lines: Int, sha256: String) {
        self.lines = lines
        self.sha256 = sha256
    }
}

/// Why an import stops.
package enum ImportError: Error, Equatable {
    /// The target has tables of a service, and they are not those of an unfinished import.
    case notEmpty
    /// The target has an unfinished import of another file.
    case otherFile
    /// Another process imports into the same target.
    case overtaken
    /// A line of the file is wrong.
    case invalid(line: Int, String)
    /// The store refuses one of the rows that were passed to it. The first one has the index 0.
    case unstorable(index: Int, String)
    /// The rows of these tables differ after the import.
    case differs([String])
}

package import Foundation
internal import SessionTokens

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

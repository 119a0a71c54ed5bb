internal import Crypto
package import Foundation
internal import SessionTokens

/// Fills a new store with the rows of an export, and compares both.
package struct DatabaseImport {
    /// What a comparison has found in one table.
    package struct Finding: Sendable, Equatable {
        package let table: String
        package let file: TableDigest
        package let target: TableDigest

        package var isEqual: Bool { file == target }
    }

    /// What the file has, and the number of rows that this run has written.
    package struct Imported: Sendable, Equatable {
        package let written: Int
        fileprivate let digests: [TableDigest]
    }

    /// Bytes of lines after which rows are written.
    private static let bytesOfBatch = 1 << 20

    private let target: any ImportTarget
    /// Rows that are written at once.
    private let batch: Int
    private let schema: Int
    private let report: (ExportProgress) -> Void

    /// - Parameters:
    ///   - schema: The newest schema number of this program.
    ///   - batch: Rows that are written at once.
    package init(
        into target: any ImportTarget, schema: Int, batch: Int = 5000, report: @escaping (ExportProgress) -> Void
    ) {
        self.target = target
        self.batch = batch
        self.schema = schema
        self.report = report
    }

    /// Writes what an earlier run has not written.
    ///
    /// - Parameter nextLine: The next line of the file without its newline.
    /// - Throws: `ImportError`, and what the target and `nextLine` throw.
    package func run(_ nextLine: @escaping () throws -> Data?) throws -> Imported {
        let lines = NumberedLines(nextLine)
        let counts = try header(of: lines)
        let start = lines.place
        let found = try target.begin(at: start)
        guard found.lines > 1 || found == start else { throw ImportError.otherFile }
        let total = counts.reduce(0, +)
        var (current, digests, written) = (found, [TableDigest](), 0)
        for (table, count) in zip(ExportedTable.all, counts) {
            let columns = try target.columns(of: table)
            var digest = RunningDigest()
            var (rows, size) = ([ExportedRow](), 0)
            let show = {
                guard count > 0 else { return }
                report(
                    .init(
                        step: .importing, table: table.name, rows: lines.number - 1, rowsOfRun: written, total: total))
            }
            show()
            for index in 0..<count {
                guard let line = try lines.next() else {
                    throw ImportError.invalid(
                        line: lines.number + 1,
                        "is missing: the file ends after \(index) of \(count) rows of \(table.name), so it is not whole"
                    )
                }
                let row = try LineReader(line, number: lines.number).row(of: table, columns)
                digest.add(table.line(of: row))
                // An earlier run has written it.
                if lines.number <= found.lines {
                    guard lines.number < found.lines || lines.place == found else { throw ImportError.otherFile }
                    continue
                }
                rows.append(row)
                size += line.count
                guard rows.count == batch || size >= Self.bytesOfBatch || index == count - 1 else { continue }
                current = try append(rows, to: table, from: current, to: lines.place)
                written += rows.count
                (rows, size) = ([], 0)
                show()
            }
            digests.append(digest.value)
        }
        guard try lines.next() == nil else {
            throw ImportError.invalid(line: lines.number, "comes after the last row that the header counts")
        }
        guard lines.number >= found.lines else { throw ImportError.otherFile }
        return Imported(written: written, digests: digests)
    }

    private func append(
        _ rows: [ExportedRow], to table: ExportedTable, from place: ImportPlace, to next: ImportPlace
    ) throws -> ImportPlace {
        do {
            try target.append(rows, to: table, from: place, to: next)
            return next
        } catch ImportError.unstorable(let index, let reason) {
            throw ImportError.invalid(
                line: next.lines - rows.count + 1 + index, "has a row of \(table.name) that cannot be stored: \(reason)"
            )
        }
    }

    /// - Returns: The number of rows of each table.
    private func header(of lines: NumberedLines) throws -> [Int] {
        guard let line = try lines.next() else { throw ImportError.invalid(line: 1, "is missing: the file is empty") }
        let header = try LineReader(line, number: 1).header()
        guard header.schema == schema else {
            throw ImportError.invalid(
                line: 1,
                "schema must be \(schema), as this version has it, and is \(header.schema). Import the file with the "
                    + "version that has exported it, and migrate then")
        }
        return try ExportedTable.all.map { table in
            guard let count = header.counts[table.name] else {
                throw ImportError.invalid(line: 1, "tables must have the number of rows of \(table.name)")
            }
            return count
        }
    }

    /// Reads all rows of the target.
    package func compare(_ imported: Imported) throws -> [Finding] {
        let total = imported.digests.reduce(0) { $0 + $1.rows }
        var done = 0
        return try zip(ExportedTable.all, imported.digests).map { table, expected in
            if expected.rows > 0 {
                report(.init(step: .comparing, table: table.name, rows: done, rowsOfRun: done, total: total))
            }
            var digest = RunningDigest()
            try target.read(table) { digest.add(table.line(of: $0)) }
            done += expected.rows
            return Finding(table: table.name, file: expected, target: digest.value)
        }
    }

    /// Makes the target usable, if it has the same rows.
    ///
    /// - Throws: `ImportError.differs` with the names of tables.
    package func finish(after findings: [Finding]) throws {
        let different = findings.filter { !$0.isEqual }.map(\.table)
        guard different.isEmpty else { throw ImportError.differs(different) }
        try target.finish()
    }
}

/// The number of rows of a table, and the SHA-256 of all their lines in their order.
package struct TableDigest: Sendable, Equatable {
    package let rows: Int
    /// Hexadecimal digits.
    package let sha256: String
}

private struct RunningDigest {
    private var (hash, rows) = (SHA256(), 0)

    mutating func add(_ line: [UInt8]) {
        hash.update(data: line)
        rows += 1
    }

    var value: TableDigest { TableDigest(rows: rows, sha256: hash.hexadecimal) }
}

extension SHA256 {
    fileprivate var hexadecimal: String {
        finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

/// The lines of a file, counted from 1.
private final class NumberedLines {
    private let read: () throws -> Data?
    private(set) var number = 0
    private var hash = SHA256()

    init(_ read: @escaping () throws -> Data?) { self.read = read }

    func next() throws -> Data? {
        guard let line = try read() else { return nil }
        number += 1
        hash.update(data: line)
        hash.update(data: [UInt8(ascii: "\n")])
        return line
    }

    /// The place after the last line that was read.
    var place: ImportPlace { ImportPlace(lines: number, sha256: hash.hexadecimal) }
}

/// Reads a line of an export.
private struct LineReader {
    private let members: [String: JSONValue]
    private let number: Int

    init(_ line: Data, number: Int) throws {
        self.number = number
        do {
            members = try TokenJSON.decode([String: JSONValue].self, from: line)
        } catch let DecodingError.dataCorrupted(context) {
            guard let reason = context.underlyingError as? JSONError else { throw Self.noObject(number) }
            throw ImportError.invalid(line: number, "is no valid JSON: \(Self.text(reason))")
        } catch {
            throw Self.noObject(number)
        }
    }

    private static func noObject(_ number: Int) -> ImportError { .invalid(line: number, "must be a JSON object") }

    private static func text(_ error: JSONError) -> String {
        switch error {
        case .notUTF8: "it is not UTF-8"
        case .tooDeep: "it is nested too deeply"
        case .repeatedMember: "a member is repeated"
        case .nullCharacter: "a text has the character U+0000, which no service stores"
        case .tooManyMarks: "a text has too many combining marks, which no service stores"
        case .malformed(let reason): reason
        }
    }

    private func failure(_ text: String) -> ImportError { .invalid(line: number, text) }

    func header() throws -> ExportHeader {
        guard members["format"] == .string(ExportHeader.format) else {
            throw failure("format must be \"\(ExportHeader.format)\": it is no export")
        }
        guard case .int(let schema) = members["schema"] else { throw failure("schema must be a whole number") }
        guard case .object(let tables) = members["tables"] else { throw failure("tables must be an object") }
        let counts = try tables.mapValues { value in
            guard case .int(let count) = value, count >= 0 else { throw failure("tables must have numbers of rows") }
            return Int(count)
        }
        guard Set(counts.keys).isSubset(of: ExportedTable.all.map(\.name)) else {
            throw failure("tables has one that this version does not know")
        }
        return ExportHeader(schema: Int(schema), counts: counts)
    }

    func row(of table: ExportedTable, _ columns: [String: ExportedKind]) throws -> ExportedRow {
        guard case .string(let name) = members["table"] else { throw failure("table must be a text") }
        guard name == table.name else {
            let isKnown = ExportedTable.all.contains { $0.name == name }
            throw failure(
                isKnown
                    ? "is a row of \(name), and the header counts another one of \(table.name) before it"
                    : "table must be \(table.name): this version does not know the table that it names")
        }
        var row = members
        row["table"] = nil
        for (column, kind) in columns {
            guard let value = row[column] else { throw failure("\(table.name).\(column) is missing") }
            if let problem = kind.problem(of: value) { throw failure("\(table.name).\(column) \(problem)") }
        }
        guard row.count == columns.count else { throw failure("has a column that \(table.name) does not have") }
        return row
    }
}

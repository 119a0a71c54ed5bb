internal import Foundation
internal import SessionTokens
internal import Testing

@testable internal import SessionDomain

/// A store in memory. Each row has a number.
private final class Memory: ExportSource, ImportTarget {
    var rows: [String: [ExportedRow]] = [:]
    var place: ImportPlace?
    var isFinished = false
    /// Batches that are written before the process is killed.
    var batchesLeft = Int.max

    struct Killed: Error {}

    init(_ numbers: [String: [Int64]] = [:]) {
        rows = numbers.mapValues { $0.map { ["id": .int($0), "name": .string("é\n\"\($0)"), "key": .null] } }
    }

    func isInUse() -> Bool { false }
    func count(_ table: ExportedTable) -> Int { rows[table.name]?.count ?? 0 }

    func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws {
        for row in rows[table.name] ?? [] { try receive(row) }
    }

    func begin(at start: ImportPlace) -> ImportPlace {
        let found = place ?? start
        place = found
        return found
    }

    func columns(of table: ExportedTable) -> [String: ExportedKind] { ["id": .integer, "name": .text, "key": .bytes] }

    func append(
        _ rows: [ExportedRow], to table: ExportedTable, from place: ImportPlace, to next: ImportPlace
    ) throws {
        guard self.place == place else { throw ImportError.overtaken }
        guard batchesLeft > 0 else { throw Killed() }
        batchesLeft -= 1
        if let index = rows.firstIndex(where: { $0["id"] == .int(13) }) {
            throw ImportError.unstorable(index: index, "no 13")
        }
        self.rows[table.name, default: []] += rows
        self.place = next
    }

    func finish() { isFinished = true }
    func close() {}
}

@Suite("An export, and its import into another store")
struct DatabaseImportTests {
    private let source = Memory(["apps": [1], "users": [1, 2, 3, 4, 5], "sessions": [7, 8, .max], "messages": [4]])
    private let target = Memory()

    private func exported(_ source: Memory) throws -> [String] {
        var bytes = Data()
        _ = try DatabaseExport(of: source, schema: 17) { _ in }.write { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func importer(report: @escaping (ExportProgress) -> Void = { _ in }) -> DatabaseImport {
        DatabaseImport(into: target, schema: 17, batch: 2, report: report)
    }

    private func run(_ lines: [String], _ importer: DatabaseImport? = nil) throws -> DatabaseImport.Imported {
        var rest = lines[...]
        return try (importer ?? self.importer()).run { rest.popFirst().map { Data($0.utf8) } }
    }

    @Test("The first line has the schema and the counts, and each row is a line")
    func lines() throws {
        let lines = try exported(source)
        #expect(lines.count == 11)
        #expect(
            lines[0].hasPrefix(#"{"format":"prelude-session export 1","schema":17,"tables":{"apps":1,"challenges":0,"#))
        #expect(lines[1] == #"{"id":1,"key":null,"name":"é\u000a\"1","table":"apps"}"#)
        #expect(
            lines[9]
                == #"{"id":9223372036854775807,"key":null,"name":"é\u000a\"9223372036854775807","table":"sessions"}"#)
    }

    @Test("All rows of all tables are imported, and compared")
    func imports() throws {
        let imported = try run(exported(source))
        #expect(imported.written == 10)
        #expect(target.rows == source.rows)
        try importer().finish(after: try importer().compare(imported))
        #expect(target.isFinished)
    }

    @Test("An import that was killed after any batch continues there, and compares all rows", arguments: 0..<7)
    func resumes(batches: Int) throws {
        let lines = try exported(source)
        target.batchesLeft = batches
        #expect(throws: Memory.Killed.self) { try run(lines) }
        target.batchesLeft = Int.max
        let before = target.rows.values.reduce(0) { $0 + $1.count }
        let imported = try run(lines)
        #expect(imported.written == 10 - before)
        #expect(target.rows == source.rows)
        #expect(try importer().compare(imported).allSatisfy { $0.isEqual })
        #expect(try run(lines).written == 0)
    }

    @Test("Another file does not continue an import", arguments: 1..<7)
    func otherFile(batches: Int) throws {
        target.batchesLeft = batches
        #expect(throws: Memory.Killed.self) { try run(exported(source)) }
        target.batchesLeft = Int.max
        let other = Memory(["apps": [2], "users": [1, 2, 3, 4, 5], "sessions": [7, 8, .max], "messages": [4]])
        #expect(throws: ImportError.otherFile) { try run(exported(other)) }
        #expect(throws: ImportError.otherFile) { try run(exported(Memory(["apps": [1]]))) }
        #expect(try run(exported(source)).written > 0)
    }

    /// The index of a line, what it is instead, and what is wrong with it.
    private static let wrong: [(Int, String, String)] = [
        (0, "{}", #"format must be "prelude-session export 1": it is no export"#),
        (0, #"{"format":"prelude-session export 1","tables":{}}"#, "schema must be a whole number"),
        (0, #"{"format":"prelude-session export 1","schema":17}"#, "tables must be an object"),
        (
            0, #"{"format":"prelude-session export 1","schema":17,"tables":{"apps":-1}}"#,
            "tables must have numbers of rows"
        ),
        (
            0, #"{"format":"prelude-session export 1","schema":17,"tables":{"other":1}}"#,
            "tables has one that this version does not know"
        ),
        (
            0, #"{"format":"prelude-session export 1","schema":17,"tables":{}}"#,
            "tables must have the number of rows of apps"
        ),
        (
            0, #"{"format":"prelude-session export 1","schema":16,"tables":{}}"#,
            "schema must be 17, as this version has it, and is 16. Import the file with the version that has exported it, "
                + "and migrate then"
        ),
        (2, "[]", "must be a JSON object"), (2, "", "is no valid JSON: a value is missing"),
        (2, #"{"id":1,"id":1}"#, "is no valid JSON: a member is repeated"),
        (
            2, #"{"id":1,"name":"\u0000","key":null,"table":"users"}"#,
            "is no valid JSON: a text has the character U+0000, which no service stores"
        ),
        (2, #"{"id":1}"#, "table must be a text"),
        (2, #"{"table":"other"}"#, "table must be users: this version does not know the table that it names"),
        (
            2, #"{"table":"sessions"}"#,
            "is a row of sessions, and the header counts another one of users before it"
        ),
        (2, #"{"id":1,"name":"a","table":"users"}"#, "users.key is missing"),
        (
            2, #"{"id":1,"key":null,"name":"a","other":1,"table":"users"}"#,
            "has a column that users does not have"
        ),
        (
            2, #"{"id":1.5,"key":null,"name":"a","table":"users"}"#,
            "users.id must be a whole number of 64 bits, or null"
        ),
        (
            2, #"{"id":9223372036854775808,"key":null,"name":"a","table":"users"}"#,
            "users.id must be a whole number of 64 bits, or null"
        ),
        (2, #"{"id":1,"key":null,"name":1,"table":"users"}"#, "users.name must be a text, or null"),
        (2, #"{"id":1,"key":"=","name":"a","table":"users"}"#, "users.key must be a text in base64url, or null"),
        (
            3, #"{"id":13,"key":null,"name":"a","table":"users"}"#,
            "has a row of users that cannot be stored: no 13"
        ),
    ]

    @Test("A wrong line is named with its number and its field", arguments: wrong)
    func invalid(index: Int, line: String, problem: String) throws {
        var lines = try exported(source)
        lines[index] = line
        #expect(throws: ImportError.invalid(line: index + 1, problem)) { try run(lines) }
        #expect(!target.isFinished)
    }

    @Test("A file that is not whole, or has more lines than its header counts, is refused")
    func lengths() throws {
        let lines = try exported(source)
        #expect(throws: ImportError.invalid(line: 1, "is missing: the file is empty")) { try run([]) }
        #expect(
            throws: ImportError.invalid(
                line: 10, "is missing: the file ends after 2 of 3 rows of sessions, so it is not whole")
        ) { try run(Array(lines.prefix(9))) }
        #expect(throws: ImportError.invalid(line: 12, "comes after the last row that the header counts")) {
            try run(lines + ["{}"])
        }
    }

    @Test("Tables with other rows, another order or another number of rows are named, and the import stays unfinished")
    func differences() throws {
        let imported = try run(exported(source))
        target.rows["users"]?.swapAt(3, 4)
        target.rows["sessions"]?.removeLast()
        target.rows["messages"]?[0]["name"] = .string("")
        let findings = try importer().compare(imported)
        #expect(findings.filter { !$0.isEqual }.map(\.table) == ["users", "sessions", "messages"])
        #expect(throws: ImportError.differs(["users", "sessions", "messages"])) {
            try importer().finish(after: findings)
        }
        #expect(!target.isFinished)
    }

    @Test("Progress counts the rows of earlier runs, but not for the rate")
    func progress() throws {
        let lines = try exported(source)
        target.batchesLeft = 2
        #expect(throws: Memory.Killed.self) { try run(lines) }
        target.batchesLeft = Int.max
        var reports: [ExportProgress] = []
        _ = try run(lines, importer { reports.append($0) })
        #expect(reports.contains(.init(step: .importing, table: "users", rows: 5, rowsOfRun: 2, total: 10)))
        #expect(reports.last == .init(step: .importing, table: "messages", rows: 10, rowsOfRun: 7, total: 10))
    }
}

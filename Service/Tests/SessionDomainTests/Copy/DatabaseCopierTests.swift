internal import Testing

@testable internal import SessionDomain

/// A store in memory with rows of one number each, in batches of two.
private final class Memory: CopyTarget {
    var rows: [String: [Int64]] = [:]
    var place: CopyPlace?
    var source: String?
    var isFinished = false
    /// Batches that are written before the process is killed.
    var batchesLeft = Int.max

    /// The failure of each reading.
    var failure: StoreError?

    struct Killed: Error {}

    func count(_ table: CopiedTable) -> Int { rows[table.name]?.count ?? 0 }

    func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        if let failure { throw failure }
        let rows = (rows[table.name] ?? []).dropFirst(skipped)
        for start in stride(from: rows.startIndex, to: rows.endIndex, by: 2) {
            var lines = CopyLines()
            for row in rows[start..<min(start + 2, rows.endIndex)] {
                lines.append(integer: row)
                lines.endRow()
            }
            try receive(lines)
        }
    }

    func begin(from source: String?) throws -> CopyPlace {
        if let known = self.source, known != source { throw CopyError.otherSource }
        self.source = source
        place = place ?? .start
        return place ?? .start
    }

    func append(_ lines: CopyLines, to table: CopiedTable, from place: CopyPlace) throws {
        guard self.place == place else { throw CopyError.overtaken }
        guard batchesLeft > 0 else { throw Killed() }
        batchesLeft -= 1
        try lines.forEachRow { row in
            rows[table.name, default: []].append(Int64(String(decoding: row[0] ?? [], as: UTF8.self)) ?? 0)
        }
        self.place = CopyPlace(table: table.name, rows: (place.table == table.name ? place.rows : 0) + lines.rows)
    }

    func checkSchema() {}
    func finish() { isFinished = true }
    func close() {}
}

@Suite("A copy from one store to another")
struct DatabaseCopierTests {
    private let source = Memory()
    private let target = Memory()

    init() {
        source.rows = ["apps": [1], "users": [1, 2, 3, 4, 5], "sessions": [7, 8, 9], "messages": [4, 4]]
    }

    private var copier: DatabaseCopier { DatabaseCopier(from: source, to: target) { _ in } }

    @Test("All rows of all tables are copied")
    func copies() throws {
        #expect(try copier.copy("one") == 11)
        #expect(target.rows == source.rows)
        try copier.finish(after: try copier.compare())
        #expect(target.isFinished)
    }

    @Test("A copy that was killed after any batch continues there", arguments: 0..<7)
    func resumes(batches: Int) throws {
        target.batchesLeft = batches
        #expect(throws: Memory.Killed.self) { try copier.copy("one") }
        target.batchesLeft = Int.max
        let before = target.rows.values.reduce(0) { $0 + $1.count }
        #expect(try copier.copy("one") == 11 - before)
        #expect(target.rows == source.rows)
        #expect(try copier.copy("one") == 0)
    }

    @Test("Another source is refused")
    func otherSource() throws {
        _ = try copier.copy("one")
        #expect(throws: CopyError.otherSource) { try copier.copy("two") }
    }

    @Test("A failure of the source is not taken for one of the target")
    func failures() throws {
        source.failure = .unavailable("lost")
        #expect(throws: CopyError.unreadable(.unavailable("lost"))) { try copier.copy("one") }
        #expect(throws: CopyError.unreadable(.unavailable("lost"))) { try copier.compare() }
        (source.failure, target.failure) = (nil, .unavailable("lost"))
        #expect(throws: StoreError.unavailable("lost")) { try copier.compare() }
    }

    @Test("Tables with other rows, another order or another number of rows are named, and the copy stays unfinished")
    func differences() throws {
        _ = try copier.copy("one")
        target.rows["users"] = [1, 2, 3, 5, 4]
        target.rows["sessions"] = [7, 8]
        target.rows["messages"] = [4, 5]
        let findings = try copier.compare()
        #expect(findings.filter { !$0.isEqual }.map(\.table) == ["users", "sessions", "messages"])
        #expect(throws: CopyError.differs(["users", "sessions", "messages"])) { try copier.finish(after: findings) }
        #expect(!target.isFinished)
    }

    @Test("Progress counts the rows of earlier runs, but not for the rate")
    func progress() throws {
        target.batchesLeft = 2
        #expect(throws: Memory.Killed.self) { try copier.copy("one") }
        target.batchesLeft = Int.max
        var reports: [DatabaseCopier.Progress] = []
        _ = try DatabaseCopier(from: source, to: target) { reports.append($0) }.copy("one")
        #expect(reports.first == .init(step: .copying, table: "users", rows: 3, rowsOfRun: 0, total: 11))
        #expect(reports.last == .init(step: .copying, table: "messages", rows: 11, rowsOfRun: 8, total: 11))
    }
}

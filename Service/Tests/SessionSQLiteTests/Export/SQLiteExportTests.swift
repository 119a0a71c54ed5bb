internal import Foundation
internal import GRDB
internal import SessionDomain
internal import SessionTokens
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("What an export contains of an embedded database")
struct SQLiteExportTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("Every column of every table is exported")
    func columns() async throws {
        let store = try SQLiteStore.open(.memory)
        let (stored, exported) = try await store.database.read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            let stored = try tables.flatMap { table in try db.columns(in: table).map { "\(table).\($0.name)" } }
            let exported = try ExportedTable.all.flatMap { table in
                let form = try SQLiteExportForm(table, in: db)
                return form.keptColumns.map { "\(form.table).\($0.expression)" }
            }
            return (stored, exported)
        }
        #expect(Set(stored) == Set(exported).union(SQLiteExportForm.unexported))
        #expect(Set(exported).count == exported.count)
        try await store.close()
    }

    @Test("An export of a running service has the rows of one moment")
    func snapshot() async throws {
        let store = try SQLiteStore.open(.file(path))
        let source = try SQLiteExportSource(path)
        defer { source.close() }
        #expect(try source.isInUse())
        let app = App(id: try #require(AppID("later01")), name: "a", createdAt: Timestamp(seconds: 1))
        _ = try await store.perform(CreateApp(app, keys: []))
        #expect(try source.count(ExportedTable.all[0]) == 0)
        try source.read(ExportedTable.all[0]) { _ in Issue.record("a later row") }
        try await store.close()
        #expect(try !source.isInUse())
        let later = try SQLiteExportSource(path)
        defer { later.close() }
        #expect(try later.count(ExportedTable.all[0]) == 1)
    }

    @Test("A run that was killed before the first line begins again, and one that was killed later continues")
    func resumes() throws {
        let start = ImportPlace(lines: 1, sha256: "a")
        // Such as a kill between the creation of the file and of its tables.
        #expect(FileManager.default.createFile(atPath: path + SQLiteImportTarget.suffix, contents: nil))
        let target = try SQLiteImportTarget(path)
        #expect(try target.begin(at: start) == start)
        #expect(throws: ImportError.overtaken) { try SQLiteImportTarget(path).begin(at: start) }
        let next = ImportPlace(lines: 2, sha256: "b")
        let row: ExportedRow = ["id": "app1234", "settings": "{}", "created_at": .int(1)]
        try target.append([row], to: ExportedTable.all[0], from: start, to: next)
        // The place and the rows are one transaction.
        let last = ImportPlace(lines: 4, sha256: "c")
        let other: ExportedRow = ["id": "app5678", "settings": "{}", "created_at": .int(1)]
        #expect(
            throws: ImportError.unstorable(index: 1, "SQLite 1555: UNIQUE constraint failed: apps.id")
        ) { try target.append([other, row], to: ExportedTable.all[0], from: next, to: last) }
        target.close()
        let again = try SQLiteImportTarget(path)
        #expect(try again.begin(at: start) == next)
        #expect(try again.count(ExportedTable.all[0]) == 1)
        #expect(throws: ImportError.overtaken) {
            try again.append([other], to: ExportedTable.all[0], from: start, to: last)
        }
        #expect(!DatabaseFile.exists(at: path))
        try again.finish()
        again.close()
        #expect(DatabaseFile.exists(at: path) && !DatabaseFile.exists(at: path + SQLiteImportTarget.suffix))
        #expect(throws: ImportError.notEmpty) { try SQLiteImportTarget(path).begin(at: start) }
    }
}

internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

@Suite("What a copy contains of an embedded database")
struct CopiedColumnsTests {
    @Test("Every column of every table is copied")
    func columns() async throws {
        let store = try SQLiteStore.open(.memory)
        let stored: [String] = try await store.database.read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            return try tables.flatMap { table in
                try db.columns(in: table).map { "\(table).\($0.name)" }
            }
        }
        let copied = CopiedTable.all.flatMap { table in
            let form = SQLiteCopyForm(table)
            return form.insertion(table) == nil ? [] : form.writtenColumns(table).map { "\(form.table).\($0)" }
        }
        #expect(Set(stored) == Set(copied).union(SQLiteCopyForm.uncopied))
        #expect(Set(copied).count == copied.count)
        try await store.close()
    }
}

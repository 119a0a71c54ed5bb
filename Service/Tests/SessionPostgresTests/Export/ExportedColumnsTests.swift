internal import SessionDomain
internal import SessionSQLite
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("What an export contains of a PostgreSQL database")
struct ExportedColumnsTests {
    @Test("Every column of every table is exported, and the embedded store has the same columns")
    func columns() async throws {
        let url = try TestServer.emptySchema()
        try await PostgresStore.open(PostgresLocation(url)).close()
        let connection = try TestServer.connect(to: url)
        let stored: [String] = try connection.run([
            Statement(
                """
                SELECT table_name || '.' || column_name FROM information_schema.columns
                WHERE table_schema = current_schema()
                    AND table_name NOT IN ('prelude_session', 'settings_revision')
                    -- They are read as rows of `copied_proofs`.
                    AND table_name <> 'proofs'
                """)
        ])[0].all { try $0.next() }
        let forms = try ExportedTable.all.map { try PostgresExportForm($0, in: connection) }
        let exported = forms.flatMap { form in form.columns.map { "\(form.target).\($0.name)" } }
        #expect(Set(stored) == Set(exported))
        #expect(Set(exported).count == exported.count)

        let file = try EmptyTarget()
        for (table, form) in zip(ExportedTable.all, forms) {
            let columns = Dictionary(uniqueKeysWithValues: form.columns.map { ($0.name, $0.kind) })
            #expect(try file.target.columns(of: table) == columns, "\(table.name)")
        }
    }
}

internal import SessionDomain
internal import Testing

@testable import SessionPostgres

@Suite("What a copy contains of a PostgreSQL database")
struct CopiedColumnsTests {
    /// The type of a column for each kind of value.
    private func type(_ kind: CopiedTable.Kind) -> String {
        switch kind {
        case .text: "text"
        case .integer, .place: "bigint"
        case .boolean: "boolean"
        case .bytes: "bytea"
        }
    }

    @Test("Every column of every table is copied, with its type")
    func columns() async throws {
        let url = try TestServer.emptySchema()
        try await PostgresStore.open(PostgresLocation(url)).close()
        let stored: [String] = try TestServer.connect(to: url).run([
            Statement(
                """
                SELECT table_name || '.' || column_name || ' ' || data_type FROM information_schema.columns
                WHERE table_schema = current_schema()
                    AND table_name NOT IN ('prelude_session', 'settings_revision')
                    -- They are read as rows of `copied_proofs`.
                    AND table_name <> 'proofs'
                """)
        ])[0].all { try $0.next() }
        let copied = CopiedTable.all.flatMap { table in
            table.columns.map { "\(PostgresCopyForm(table).target).\($0.name) \(type($0.kind))" }
        }
        #expect(Set(stored) == Set(copied))
        #expect(Set(copied).count == copied.count)
    }
}

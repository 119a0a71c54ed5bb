internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

/// What other engines that speak PostgreSQL's protocol demand (`docs/scale.md`).
@Suite("Statements use the features of the list, and keys begin with the app")
struct StatementListTests {
    private let connection: PostgresConnection

    init() throws {
        connection = try TestServer.connect(to: try TestServer.emptySchema())
        _ = try Migrator(connection: connection).migrate()
    }

    private func texts(_ sql: String) throws -> [String] {
        try connection.run([Statement(sql)])[0].all { try $0.next() }
    }

    /// The names of tables, indexes and columns.
    private func names() throws -> Set<String> {
        let here = "current_schema()::regnamespace"
        return Set(try texts("SELECT relname::text FROM pg_class WHERE relnamespace = \(here)"))
            .union(
                try texts(
                    """
                    SELECT attname::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                    WHERE relnamespace = \(here) AND attnum > 0
                    """))
    }

    @Test("The statements of the store, and those of migrations")
    func features() async throws {
        let (names, statements) = (try names(), try await PartitionedContract.outcome.value.statements)
        #expect(statements.count > 150)
        for statement in statements {
            let unknown = SQLFeatures.unknown(in: statement, names: names)
            #expect(unknown.isEmpty, "\(unknown.sorted()) in\n\(statement)")
        }
        for statement in Migration.creation(nil).map(\.sql) {
            let unknown = SQLFeatures.unknown(in: statement, names: names, also: SQLFeatures.wordsOfMigrations)
            #expect(unknown.isEmpty, "\(unknown.sorted()) in\n\(statement)")
        }
    }

    @Test("A statement about the rows of users names their app, except those that work for all apps")
    func apps() async throws {
        for statement in try await PartitionedContract.outcome.value.statements {
            let words = Set(statement.matches(of: /[a-z_]+/).map { String($0.output) })
            guard !words.isDisjoint(with: Partitioning.keys.keys), !AcrossApps.contains(statement) else { continue }
            let namesApp = statement.contains(/app_id = \$\d/) || statement.contains(/INSERT INTO \w+ \([^)]*app_id/)
            #expect(namesApp, "\(statement)")
        }
    }

    @Test("No insert has a sub-select among its values")
    func inserts() async throws {
        for statement in try await PartitionedContract.outcome.value.statements {
            #expect(!statement.contains(/VALUES \([^)]*\(\s*SELECT/), "\(statement)")
        }
    }

    @Test("Each unique key of rows of users begins with the app")
    func keys() throws {
        let first = """
            SELECT pg_class.relname || '.' || attname FROM pg_index
            JOIN pg_class ON pg_class.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
            WHERE indisunique AND relnamespace = current_schema()::regnamespace
            """
        let columns = Set(try texts(first))
        #expect(columns.isSuperset(of: Partitioning.keys.keys.map { "\($0).app_id" }))
        let others = columns.filter { !$0.hasSuffix(".app_id") }
        #expect(
            others == [
                "apps.id", "management_keys.id", "management_keys.hash", "prelude_session.id", "settings_revision.id",
            ])
    }

    @Test("The schema has no sequence, no function and no trigger")
    func objects() throws {
        let here = "current_schema()::regnamespace"
        #expect(try texts("SELECT relname::text FROM pg_class WHERE relkind = 'S' AND relnamespace = \(here)") == [])
        #expect(try texts("SELECT proname::text FROM pg_proc WHERE pronamespace = \(here)") == [])
        let triggers = """
            SELECT tgname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
            WHERE NOT tgisinternal AND relnamespace = \(here)
            """
        #expect(try texts(triggers) == [])
    }

    @Test("Each foreign key finds its rows in an index")
    func foreignKeys() throws {
        let unindexed = """
            SELECT conname::text FROM pg_constraint
            WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND NOT EXISTS (
                SELECT 1 FROM pg_index WHERE indrelid = conrelid AND indpred IS NULL
                    AND (indkey::smallint[])[0:cardinality(conkey) - 1] @> conkey)
            """
        #expect(try texts(unindexed) == [])
    }
}

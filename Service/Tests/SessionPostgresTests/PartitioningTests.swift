internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("Tables with partitions", .serialized)
struct PartitioningTests {
    @Test("The store keeps each rule of the contract")
    func contract() async throws {
        for error in try await PartitionedContract.outcome.value.errors { Issue.record(Comment(rawValue: error)) }
    }

    @Test("Each table that grows with the users has partitions, and the others have none")
    func tables() throws {
        let connection = try TestServer.connect(to: try TestServer.emptySchema(partitions: 2))
        _ = try Migrator(connection: connection).migrate()
        func tables(_ condition: String) throws -> Set<String> {
            let names = "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND "
            return Set(try connection.run([Statement(names + condition)])[0].all { try $0.next() as String })
        }
        let partitioned = Set(Partitioning.keys.keys)
        #expect(try tables("relkind = 'p'") == partitioned)
        #expect(try tables("relkind = 'r' AND relispartition") == Set(partitioned.flatMap { ["\($0)_0", "\($0)_1"] }))
        let small: Set = [
            "apps", "signing_keys", "management_keys", "deleted_redemptions", "webhooks", "prelude_session",
            "settings_revision", "copied_proofs", "passkeys",
        ]
        #expect(try tables("relkind = 'r' AND NOT relispartition") == small)
        let parameters: String = try connection.one(
            "SELECT reloptions::text FROM pg_class WHERE oid = 'sessions_1'::regclass")
        #expect(parameters == "{fillfactor=70}")
    }

    @Test("A later index of each partition is created concurrently, and again if that was interrupted")
    func index() async throws {
        let url = try TestServer.emptySchema(partitions: 3)
        let index = Migration(
            number: Migration.supported + 1, name: "index", usableFrom: Migration.supported,
            work: .index(name: "more", on: "sessions (app_id, last_seen_at)"))
        let definitions = try await onOwnThread {
            // The creation of an index waits for transactions of all tests.
            let connection = try TestServer.connect(to: url, patience: 60_000)
            _ = try Migrator(connection: connection).migrate()
            // One is complete, and the creation of another one was interrupted.
            for number in [0, 1] {
                let columns = number == 0 ? "app_id, last_seen_at" : "app_id"
                _ = try connection.run([Statement("CREATE INDEX more_\(number) ON sessions_\(number) (\(columns))")])
            }
            let invalid = "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'more_1'::regclass"
            _ = try connection.run([Statement(invalid)])
            let complete: Int = try connection.one("SELECT 'more_0'::regclass::oid::bigint")
            // The setting of today does not count.
            _ = try connection.run([Statement("SELECT set_config('\(Partitioning.setting)', '', FALSE)")])
            let migrator = Migrator(connection: connection, migrations: Migration.all + [index])
            #expect(try migrator.state().pending[0].sql.contains { $0.contains("ON ONLY sessions ") })
            #expect(try migrator.migrate().now == index.number)
            #expect(try connection.one("SELECT 'more_0'::regclass::oid::bigint") as Int == complete)
            let valid = "SELECT bool_and(indisvalid) FROM pg_index WHERE indexrelid::regclass::text LIKE 'more%'"
            #expect(try connection.one(valid) as Bool)
            let attached = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'more'::regclass"
            #expect(try connection.one(attached) as Int == 3)
            let query = """
                SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE 'more%'
                """
            return try connection.run([Statement(query)])[0].all { try $0.next() as String }
        }
        #expect(definitions.count == 4)
        #expect(definitions.allSatisfy { $0.hasSuffix("(app_id, last_seen_at)") })
    }

    @Test("More partitions than the server has locks for are refused before anything is created")
    func locks() async throws {
        let url = try TestServer.emptySchema(partitions: 1024)
        let connection = try TestServer.connect(to: url)
        let capacity: Int = try connection.one(
            "SELECT current_setting('max_connections')::bigint * current_setting('max_locks_per_transaction')::bigint")
        try #require(capacity < 1024 * 128, "This server has locks for all of them.")
        let error = #expect(throws: StoreError.self) { try PostgresStore.open(PostgresLocation(url)) }
        #expect(error?.reason.contains("or use at most \(capacity / 128) partitions") == true)
        #expect(throws: StoreError.self) {
            try PostgresImportTarget(PostgresLocation(url)).begin(at: EmptyTarget.start)
        }
        let count: Int = try connection.one("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")
        #expect(count == 0)
    }

    @Test("Only a number of partitions that PostgreSQL can use is accepted", arguments: ["1", "1025", "two", "-4"])
    func invalid(text: String) {
        #expect(throws: StoreError.unavailable("prelude_session.partitions must be a number from 2 to 1024")) {
            try Partitioning(text)
        }
    }

    @Test("Without the setting, no table has partitions")
    func off() throws {
        let connection = try TestServer.connect(to: try TestServer.emptySchema())
        _ = try Migrator(connection: connection).migrate()
        let tables: Int = try connection.one(
            "SELECT count(*) FROM pg_class WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace")
        #expect(tables == 0)
    }
}

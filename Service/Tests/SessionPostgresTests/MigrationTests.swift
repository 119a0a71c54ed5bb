internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("The schema of a PostgreSQL database", .timeLimit(.minutes(1)))
struct MigrationTests {
    private let url: String

    init() throws { url = try TestServer.emptySchema() }

    private func open(_ opening: OpenMode) async throws -> (found: Int, now: Int) {
        var options = PoolOptions()
        options.size = 1
        let store = try PostgresStore.open(PostgresLocation(url), opening: opening, options: options)
        await store.close()
        return store.schema
    }

    private func tables() throws -> Int {
        try TestServer.connect(to: url).one("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")
    }

    @Test("A new schema is created once")
    func create() async throws {
        let first = try await open(.migrating)
        #expect(first.found == 0)
        #expect(first.now == PostgresStore.supportedSchema)
        let second = try await open(.migrating)
        #expect(second.found == PostgresStore.supportedSchema)
        #expect(second.now == PostgresStore.supportedSchema)
        for opening in [OpenMode.creating, .existing] {
            #expect(try await open(opening).found == PostgresStore.supportedSchema)
        }
    }

    @Test("A command beside the service creates nothing")
    func existing() async throws {
        let error = StoreError.olderSchema(found: 0, supported: PostgresStore.supportedSchema)
        await #expect(throws: error) { try await open(.existing) }
        #expect(try tables() == 0)
        #expect(try await open(.creating).found == 0)
    }

    @Test("Many nodes create one schema at the same time")
    func nodes() async throws {
        let url = url
        let versions = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask { try Migrator(connection: try TestServer.connect(to: url)).migrate().now }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(versions == Array(repeating: PostgresStore.supportedSchema, count: 6))
        #expect(try TestServer.connect(to: url).one("SELECT count(*) FROM prelude_session") as Int == 1)
    }

    @Test("A node whose role lacks rights on a new table does not start, and names both")
    func rights() async throws {
        _ = try await open(.migrating)
        let connection = try TestServer.connect(to: url)
        let role = "node_\(UInt64.random(in: 0...UInt64.max))"
        func run(_ statements: String...) throws { _ = try connection.run(statements.map { Statement($0) }) }
        func start() throws {
            try run("SET ROLE \(role)")
            defer { try? run("RESET ROLE") }
            _ = try Migrator(connection: connection).migrate()
        }
        let schema: String = try connection.one("SELECT current_schema()::text")
        try run("CREATE ROLE \(role)")
        defer { try? run("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
        let noSchema = StoreError.unavailable(
            "search_path names no schema that its role may use. Create the schema, or grant the role USAGE on it")
        #expect(throws: noSchema) { try start() }
        try run(
            "GRANT USAGE ON SCHEMA \(schema) TO \(role)", "GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
        try start()
        func refusal(_ table: String) -> StoreError {
            .unavailable(
                "the role \(role) lacks rights on \(table). Grant it SELECT, INSERT, UPDATE and DELETE on all tables")
        }
        try run("REVOKE ALL ON copied_proofs FROM \(role)")
        #expect(throws: refusal("copied_proofs")) { try start() }
        // Enough for requests. But nothing would delete old rows.
        try run("GRANT SELECT ON copied_proofs TO \(role)")
        #expect(throws: refusal("copied_proofs")) { try start() }
        try run("GRANT DELETE ON copied_proofs TO \(role)")
        try start()
        for (right, table) in [("ALL", "sessions"), ("INSERT", "users"), ("UPDATE", "prelude_session")] {
            try run("REVOKE \(right) ON \(table) FROM \(role)")
            if right == "ALL" { try run("GRANT INSERT, UPDATE, DELETE ON \(table) TO \(role)") }
            #expect(throws: refusal(table)) { try start() }
            try run("GRANT ALL ON \(table) TO \(role)")
        }
        try run("ALTER TABLE sessions ENABLE ROW LEVEL SECURITY")
        #expect(
            throws: StoreError.unavailable(
                "row-level security can hide rows of sessions from the role \(role), and a hidden session would seem "
                    + "ended. Disable it for all tables, or give the role BYPASSRLS")
        ) { try start() }
        // Once it runs, too, no row is hidden without an error.
        let read = Statement("SELECT current_setting('row_security'), count(*) FROM sessions")
        // Also behind a pooler, which keeps no setting beyond a transaction.
        let pooled = try PostgresConnection(
            try PostgresLocation(url).parameters.map { ($0.key, $0.value) }, patience: 10_000,
            pooledSettings: Statement("SELECT set_config('row_security', 'off', TRUE)"))
        for connection in [connection, pooled] {
            func settings() throws -> [String] { try connection.readSnapshot([read])[0].all { try $0.next() } }
            #expect(try settings() == ["off"])
            _ = try connection.run([Statement("SET ROLE \(role)")])
            #expect(throws: PostgresFailure.self) { try settings() }
            _ = try connection.run([Statement("RESET ROLE")])
        }
    }

    @Test("A newer schema is refused, and an older one that may not be migrated")
    func versions() async throws {
        let supported = PostgresStore.supportedSchema
        _ = try await open(.migrating)
        let connection = try TestServer.connect(to: url)
        _ = try connection.run([Statement("UPDATE prelude_session SET usable_from = $1", [supported + 1])])
        for (stored, error) in [
            (supported + 1, StoreError.newerSchema(found: supported + 1, supported: supported)),
            (supported - 1, StoreError.olderSchema(found: supported - 1, supported: supported)),
        ] {
            _ = try connection.run([Statement("UPDATE prelude_session SET schema = $1", [stored])])
            for opening in [OpenMode.creating, .existing] {
                await #expect(throws: error) { try await open(opening) }
            }
        }
        _ = try connection.run([Statement("UPDATE prelude_session SET schema = $1", [supported + 1])])
        await #expect(throws: StoreError.newerSchema(found: supported + 1, supported: supported)) {
            try await open(.migrating)
        }
    }

    private func apply(_ steps: [Migration]) throws -> (found: Int, now: Int) {
        try Migrator(connection: try TestServer.connect(to: url), migrations: steps).migrate()
    }

    @Test("A step that fails leaves nothing, and those before it stay")
    func failure() throws {
        let good = Migration(number: 1, statements: ["CREATE TABLE a (n BIGINT)"])
        let bad = Migration(number: 2, statements: ["CREATE TABLE b (n BIGINT)", "INSERT INTO missing VALUES (1)"])
        #expect(throws: PostgresFailure.self) { try apply([good, bad]) }
        #expect(try tables() == 2)
        let fixed = Migration(number: 2, statements: ["CREATE TABLE b (n BIGINT)"])
        let versions = try apply([good, fixed])
        #expect(versions.found == 1)
        #expect(versions.now == 2)
        #expect(try tables() == 3)
    }

    @Test("A step may take longer than a request, and another node waits for it")
    func slow() async throws {
        let step = Migration(number: 1, statements: ["CREATE TABLE a (n BIGINT)"])
        let holder = try TestServer.connect(to: url)
        _ = try holder.run([
            Statement(
                "CREATE TABLE prelude_session (id BIGINT PRIMARY KEY, schema BIGINT NOT NULL, usable_from BIGINT)"),
            Statement("INSERT INTO prelude_session VALUES (1, 0)"), .begin,
            Statement("LOCK TABLE prelude_session IN EXCLUSIVE MODE"),
        ])
        let url = url
        let waiting = Task {
            try Migrator(connection: try TestServer.connect(to: url), migrations: [step]).migrate().now
        }
        // Longer than a request waits for a lock.
        _ = try holder.run([Statement("SELECT pg_sleep(0.7)"), .commit])
        #expect(try await waiting.value == 1)
        let limits = Migration(
            number: 2,
            statements: [
                "DO $$ BEGIN ASSERT current_setting('statement_timeout') = '0'; END $$",
                "DO $$ BEGIN ASSERT current_setting('lock_timeout') = '250ms'; END $$",
            ])
        #expect(try apply([step, limits]).now == 2)
    }

    @Test("A newer node that migrates at the same time is noticed")
    func overtaken() throws {
        // A trigger stands for the other node: the number becomes another one.
        let step = Migration(
            number: 1,
            statements: [
                "CREATE FUNCTION newer() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN NEW.schema = 7; NEW.usable_from = 7; RETURN NEW; END'",
                "CREATE TRIGGER newer BEFORE UPDATE ON prelude_session FOR EACH ROW EXECUTE FUNCTION newer()",
            ])
        #expect(throws: StoreError.newerSchema(found: 7, supported: 1)) { try apply([step]) }
    }
}

extension Migration {
    /// A step of a test, with one transaction.
    init(number: Int, usableFrom: Int? = nil, statements: [String]) {
        self.init(number: number, name: "test", usableFrom: usableFrom ?? number, statements: statements)
    }
}

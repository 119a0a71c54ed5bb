internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Nodes of two versions on one database", .timeLimit(.minutes(1)))
struct RollingVersionTests {
    private let url: String
    private static let supported = Migration.supported

    init() throws { url = try TestServer.emptySchema() }

    private func migrate(_ migrations: [Migration] = Migration.all) throws -> (found: Int, now: Int) {
        try Migrator(connection: try patientConnection(url), migrations: migrations).migrate()
    }

    private static func next(usableFrom: Int) -> [Migration] {
        Migration.all + [
            Migration(
                number: supported + 1, usableFrom: usableFrom, statements: ["ALTER TABLE users ADD COLUMN more TEXT"])
        ]
    }

    private func open(_ opening: OpenMode) throws -> PostgresStore {
        var options = PoolOptions()
        options.size = 1
        return try PostgresStore.open(PostgresLocation(url), opening: opening, options: options)
    }

    @Test(
        "A database that the next version has migrated is opened if it says so",
        arguments: [OpenMode.migrating, .creating, .existing])
    func compatible(opening: OpenMode) async throws {
        _ = try migrate(Self.next(usableFrom: Self.supported))
        let store = try open(opening)
        #expect(store.schema.found == Self.supported + 1)
        #expect(store.schema.now == Self.supported + 1)
        let world = try ContractWorld(store: store)
        _ = try await world.signIn(world.addUser())
        await store.close()
        #expect(try PostgresStore.schema(of: PostgresLocation(url)).isUsable)
    }

    @Test(
        "A database that only newer versions can use is refused",
        arguments: [OpenMode.migrating, .creating, .existing])
    func incompatible(opening: OpenMode) throws {
        _ = try migrate(Self.next(usableFrom: Self.supported + 1))
        let error = StoreError.newerSchema(found: Self.supported + 1, supported: Self.supported)
        #expect(throws: error) { try open(opening) }
        let state = try PostgresStore.schema(of: PostgresLocation(url))
        #expect(!state.isUsable)
        #expect(state.found == Self.supported + 1)
    }

    @Test(
        "Addresses get the ASCII form of their domain, if it is no other domain, and then older nodes no longer start",
        arguments: [
            ("ada@b\u{FC}cher.example", "ada@xn--bcher-kva.example"),
            ("ada@\u{FF45}xample.com", "ada@\u{FF45}xample.com"), ("b\u{FC}b@example.com", "b\u{FC}b@example.com"),
        ])
    func asciiDomains(before: String, after: String) throws {
        let older = Migration.all.filter { $0.number < Migration.asciiDomains.number }
        _ = try migrate(older)
        let connection = try TestServer.connect(to: url)
        _ = try connection.run([
            Statement(
                """
                INSERT INTO users (app_id, id, status, profile, created_at, updated_at)
                VALUES ('testapp', 'usr_1', 'active', '{}', 1000, 1000)
                """),
            Statement(
                """
                INSERT INTO identifiers (app_id, type, canonical, value, user_id, position)
                VALUES ('testapp', 'email_address', $1, $1, 'usr_1', 1)
                """, [before]),
        ])
        _ = try migrate()
        #expect(try connection.one("SELECT canonical FROM identifiers") == after)
        let isRefused = (try? migrate(older)) == nil
        #expect(isRefused == (before != after))
        #expect(try migrate().found == Self.supported)
    }

    @Test("A database that does not say who can use it is refused when it is newer")
    func silent() throws {
        _ = try migrate()
        _ = try TestServer.connect(to: url).run([
            Statement("UPDATE prelude_session SET schema = $1, usable_from = NULL", [Self.supported + 1])
        ])
        #expect(throws: StoreError.newerSchema(found: Self.supported + 1, supported: Self.supported)) {
            try open(.migrating)
        }
    }

    @Test("A node keeps working when a column changes its type under its prepared statements")
    func changedType() async throws {
        let store = try open(.migrating)
        let world = try ContractWorld(store: store)
        let app = try await world.addApp()
        let read = try await store.app(app.id)
        #expect(read != nil)
        for type in ["VARCHAR(100000)", "TEXT"] {
            for isWrite in [false, true] {
                _ = try TestServer.connect(to: url).run([
                    Statement("ALTER TABLE apps ALTER COLUMN settings TYPE \(type)")
                ])
                if isWrite {
                    let change = UpdateApp(app.id) { app in
                        app.name = type
                        return type
                    }
                    #expect(try await store.perform(change) == type)
                } else {
                    let read = try await store.app(app.id)
                    #expect(read != nil)
                }
            }
        }
        await store.close()
    }

    @Test("What the server does not support fails at once, and is not tried on other connections")
    func unsupported() async throws {
        let store = try open(.migrating)
        func pid() async throws -> Int? {
            try await store.read([Statement("SELECT pg_backend_pid()")]) { try $0[0].first { try $0.next() } }
        }
        let before = try await pid()
        let error = await #expect(throws: StoreError.self) {
            try await store.read([Statement("SELECT DISTINCT 1 FROM apps FOR UPDATE")]) { _ in }
        }
        #expect(error?.reason.contains("0A000") == true)
        let after = try await pid()
        #expect(before == after)
        await store.close()
    }

    @Test("A step that cannot get the lock of a table gives up with the cause, and can be repeated")
    func shortWaits() throws {
        _ = try migrate()
        let holder = try TestServer.connect(to: url)
        _ = try holder.run([.begin, Statement("LOCK TABLE users IN ACCESS SHARE MODE")])
        let step = Self.next(usableFrom: Self.supported)
        var migrator = Migrator(connection: try TestServer.connect(to: url), migrations: step)
        migrator.attempts = 1
        let error = #expect(throws: StoreError.self) { try migrator.migrate() }
        #expect(error?.reason.contains("migration \(Self.supported + 1) (test) needs a lock") == true)
        migrator.attempts = 100
        let patient = migrator
        _ = try holder.run([.rollback])
        #expect(try patient.migrate().now == Self.supported + 1)
    }

    @Test("An index of a table with rows is created, and again if its creation was interrupted")
    func index() async throws {
        let table = Migration(
            number: 1, statements: ["CREATE TABLE a (n BIGINT)", "INSERT INTO a SELECT generate_series(1, 100)"])
        _ = try migrate([table])
        let connection = try TestServer.connect(to: url)
        // An interrupted creation leaves an invalid index with this name.
        _ = try connection.run([Statement("CREATE INDEX a_by_n ON a ((n + 1))")])
        let index = Migration(number: 2, name: "index", usableFrom: 1, work: .index(name: "a_by_n", on: "a (n)"))
        let url = url
        let (created, repeated) = try await onOwnThread {
            func migrate() throws -> (found: Int, now: Int) {
                try Migrator(connection: try patientConnection(url), migrations: [table, index]).migrate()
            }
            return (try migrate().now, try migrate().found)
        }
        #expect(created == 2 && repeated == 2)
        let definition: String = try connection.one(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'a_by_n'")
        #expect(definition.hasSuffix("(n)"))
        #expect(try connection.one("SELECT indisvalid FROM pg_index WHERE indexrelid = 'a_by_n'::regclass") as Bool)
    }

    @Test("An index of a new database is created in a transaction, which waits for no other one")
    func indexOfNewDatabase() throws {
        let other = try TestServer.connect(to: url)
        _ = try other.run([.begin, Statement("SELECT count(*) FROM pg_class")])
        #expect(try migrate().now == Self.supported)
        _ = try other.run([.rollback])
    }

    @Test("Two nodes that create an index at the same time do not wait in a circle")
    func indexOnTwoNodes() async throws {
        let steps = [
            Migration(number: 1, statements: ["CREATE TABLE a (n BIGINT)"]),
            Migration(number: 2, name: "index", usableFrom: 1, work: .index(name: "a_by_n", on: "a (n)")),
        ]
        _ = try migrate([steps[0]])
        let url = url
        let versions = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onOwnThread {
                        try Migrator(connection: try patientConnection(url), migrations: steps).migrate().now
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(versions == [2, 2, 2, 2])
    }

    @Test("The plan is what a migration runs, and reading it changes nothing")
    func plan() throws {
        let location = try PostgresLocation(url)
        let empty = try PostgresStore.schema(of: location)
        #expect(empty.found == 0)
        #expect(empty.pending.map(\.number) == Migration.all.map(\.number))
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
        let connection = try TestServer.connect(to: url)
        #expect(try connection.one(tables) as Int == 0)
        for sql in empty.pending.flatMap(\.sql) { _ = try connection.run([Statement(sql)]) }
        let now = try PostgresStore.schema(of: location)
        #expect(now == SchemaState(found: Self.supported, supported: Self.supported, isUsable: true, pending: []))
        #expect(try migrate().found == Self.supported)
    }
}

/// The creation of an index waits for transactions of all tests.
private func patientConnection(_ url: String) throws -> PostgresConnection {
    try TestServer.connect(to: url, patience: 60_000)
}

internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("A connection that is lost")
struct LostConnectionTests {
    private let select = Statement("SELECT 1")
    private let sleep = Statement("SELECT pg_sleep(1)")

    @Test("It is noticed before the next pipeline, and nothing was committed")
    func between() throws {
        let connection = try TestServer.connect()
        #expect(connection.isUsable)
        try TestServer.terminate(connection.pid)
        #expect(!connection.isUsable)
        #expect(connection.failure(of: [select]) == .disconnected)
        #expect(connection.failure(of: [select, .commit], commits: true) == .disconnected)
    }

    @Test(
        "It ends the pipeline that runs: only a pipeline whose commit may have run is unknown",
        arguments: [false, true])
    func within(commits: Bool) throws {
        let connection = try TestServer.connect()
        let end = Statement("SELECT pg_terminate_backend(pg_backend_pid())")
        #expect(connection.failure(of: [end, select, .commit], commits: commits) == .disconnected)
        #expect(!connection.isUsable)
        #expect(connection.failure(of: [.rollback]) == .disconnected)
    }

    @Test("It may have committed if the server ends in the last statement")
    func last() throws {
        let connection = try TestServer.connect()
        let end = Statement("SELECT pg_terminate_backend(pg_backend_pid())")
        #expect(connection.failure(of: [.begin, select, end], commits: true) == .unknown)
    }

    @Test("A server that does not answer in time counts as lost", arguments: [false, true])
    func patience(commits: Bool) throws {
        let connection = try TestServer.connect(patience: 500)
        #expect(connection.failure(of: [select, sleep], commits: commits) == (commits ? .unknown : .disconnected))
    }

    @Test("No result of an earlier pipeline answers a later one")
    func step() throws {
        let connection = try TestServer.connect(patience: 500)
        #expect(connection.failure(of: [Statement("SELECT 'old', pg_sleep(0.7)")]) == .disconnected)
        #expect(!connection.isUsable)
        // The first pipeline may have ended now. Its row must not be taken for this one's.
        _ = try TestServer.connect().run([Statement("SELECT pg_sleep(0.4)")])
        #expect(connection.failure(of: [Statement("SELECT 'new'")]) == .disconnected)
    }

    @Test("The transaction of a connection that is lost ends")
    func transaction() throws {
        let url = try TestServer.emptySchema()
        let other = try TestServer.connect(to: url)
        _ = try other.run([Statement("CREATE TABLE numbers (n BIGINT)")])
        let connection = try TestServer.connect(to: url)
        _ = try connection.run([.begin, Statement("INSERT INTO numbers VALUES (1)")])
        try TestServer.terminate(connection.pid)
        #expect(try other.one("SELECT count(*) FROM numbers") as Int == 0)
    }
}

@Suite("A connection that is refused")
struct RefusedConnectionTests {
    @Test(
        "The error says why and does not contain the password",
        arguments: [
            "postgresql://ada:s3cret%zz@127.0.0.1/x", "postgresql://ada:s3cret@[::1/x",
            "postgresql://ada:s3cret@127.0.0.1:1/x", "postgresql://ada:s3cret@127.0.0.1:port/x",
            "postgresql://ada:s3cret@no-such-host.invalid/x", "postgresql://ada:s3cret@127.0.0.1:1/x?sslmode=sometimes",
            "postgresql://ada:s3cret@127.0.0.1:1/x?no_such_option=1",
            // What libpq takes for a port, a host or a database.
            "postgresql://ada:s3cret/pw@127.0.0.1:1/x", "postgresql://ada:s3cret",
            "postgresql://ada:1/s3cret@127.0.0.1:1/x",
            "postgresql://ada:pw@s3cret@127.0.0.1:1/x", "postgresql://ada:p@/s3cret@127.0.0.1:1/x",
        ])
    func reasons(url: String) {
        let error = #expect(throws: StoreError.self) { try PostgresStore.open(PostgresLocation(url)) }
        #expect(error?.reason.contains("s3cret") == false)
        #expect(error?.reason.isEmpty == false)
    }

    @Test(
        "A URL with special characters that are encoded, or in parameters, is no mistake",
        arguments: [
            "postgresql://a%40b:p%2F%40w@127.0.0.1:1,localhost:2/x%40y", "postgresql://%2Frun%2Fa/x",
            "postgresql:///x?application_name=a@b/c", "postgresql://ada:pa?w@127.0.0.1:1/x", "postgresql://[::1]:1/x",
        ])
    func encoded(url: String) throws { _ = try PostgresLocation(url) }

    @Test("A database with another encoding is refused, and a URL cannot choose one for the texts that are sent")
    func encoding() async throws {
        let url = try TestServer.emptyDatabase(encoding: "LATIN1")
        let error = #expect(throws: StoreError.self) { try PostgresStore.open(PostgresLocation(url)) }
        #expect(error?.reason.contains("the database has the encoding LATIN1") == true)
        let server = PostgresServer(location: try PostgresLocation(TestServer.url + "?client_encoding=LATIN1"))
        let bytes: String? = try server.connect().run([Statement("SELECT encode(convert_to($1, 'UTF8'), 'hex')", ["é"])]
        )[0]
        .first { try $0.next() }
        #expect(bytes == "c3a9")
    }

    @Test("A database that does not exist is named")
    func database() throws {
        let url = try TestServer.url + "_missing"
        let error = #expect(throws: StoreError.self) { try PostgresStore.open(PostgresLocation(url)) }
        #expect(error?.reason.contains("postgres_missing") == true)
    }

    @Test("A server that accepts no writes, such as a standby, is refused")
    func standby() throws {
        let url = try TestServer.url + "?options=-cdefault_transaction_read_only%3Don"
        let error = #expect(throws: StoreError.self) { try PostgresStore.open(PostgresLocation(url)) }
        #expect(error?.reason.contains("read-only") == true)
    }

    @Test("A URL that asks for a standby is refused", arguments: ["any", "standby", "prefer-standby", "read-only"])
    func attributes(wanted: String) throws {
        let error = #expect(throws: StoreError.self) {
            try PostgresLocation(TestServer.url + "?target_session_attrs=" + wanted)
        }
        #expect(error?.reason.contains("target_session_attrs must be read-write or primary") == true)
    }

    @Test("A role that may not sign in is named, and its password is not")
    func role() throws {
        let url = try TestServer.url.replacing("postgres@", with: "nobody:s3cret@")
        let error = #expect(throws: StoreError.self) { try PostgresStore.open(PostgresLocation(url)) }
        #expect(error?.reason.contains("nobody") == true)
        #expect(error?.reason.contains("s3cret") == false)
    }
}

internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("A connection runs statements in pipelines")
struct PipelineTests {
    private let connection: PostgresConnection

    init() throws {
        connection = try TestServer.connect()
        _ = try connection.run([Statement("CREATE TEMPORARY TABLE numbers (n BIGINT PRIMARY KEY, text TEXT)")])
    }

    private func insert(_ number: Int) -> Statement { Statement("INSERT INTO numbers VALUES ($1, NULL)", [number]) }

    private var count: Int { get throws { try connection.one("SELECT count(*) FROM numbers") } }

    @Test("Each statement has its rows, in order")
    func order() throws {
        let rows = try connection.run([
            Statement("SELECT $1::text", ["a"]), insert(1), insert(2), Statement("UPDATE numbers SET text = 'x'"),
            Statement("SELECT n FROM numbers ORDER BY n"),
        ])
        #expect(try rows[0].all { try $0.next() as String } == ["a"])
        #expect(rows.map(\.changed) == [1, 1, 1, 2, 2])
        #expect(try rows[4].all { try $0.next() as Int } == [1, 2])
    }

    @Test("A statement that fails undoes those before it and stops those after it")
    func failure() throws {
        let failure = connection.failure(of: [insert(1), insert(1), insert(2)])
        #expect(failure == .rejected)
        // Without BEGIN, the statements of a pipeline are one transaction.
        #expect(try count == 0)
        _ = try connection.run([insert(3)])
        #expect(try count == 1)
    }

    @Test("A guard that fails names itself", arguments: 0..<3)
    func guarded(place: Int) throws {
        let failures: [FailedGuard] = [.taken(.proof("0")), .taken(.proof("1")), .taken(.proof("2"))]
        let statements = failures.indices.map { index in
            Statement.guarded(
                "UPDATE numbers SET text = $2 WHERE n = $1", [index == place ? 99 : 1, "x"], orFail: failures[index])
        }
        _ = try connection.run([insert(1)])
        #expect(connection.failure(of: [.begin] + statements + [.commit], commits: true) == .refused(failures[place]))
        #expect(connection.failure(of: [.rollback]) == nil)
        #expect(try connection.one("SELECT count(*) FROM numbers WHERE text = 'x'") as Int == 0)
    }

    @Test("A division by zero that is no guard is an error")
    func division() {
        #expect(connection.failure(of: [Statement("SELECT 1 / $1::int", [0])]) == .rejected)
    }

    @Test("Statements whose preparation was skipped are prepared again")
    func preparation() throws {
        let (bad, new) = (Statement("SELECT 1 / $1::int", [0]), Statement("SELECT $1::text || '!'", ["new"]))
        for _ in 0..<3 { #expect(connection.failure(of: [bad, new, new]) == .rejected) }
        #expect(try connection.run([new])[0].first { try $0.next() as String } == "new!")
        // A text that cannot be prepared stays an error, and harms nothing else.
        for _ in 0..<2 { #expect(connection.failure(of: [Statement("SELEKT 1"), new]) == .rejected) }
        #expect(try connection.run([new]).count == 1)
    }

    @Test("Each text is prepared once")
    func prepared() throws {
        for number in 0..<100 { _ = try connection.run([insert(number)]) }
        let inserts = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO numbers%'"
        #expect(try connection.one(inserts) as Int == 1)
    }

    @Test("Thousands of statements and megabytes in both directions need no more than one wait")
    func size() throws {
        let text = String(repeating: "0123456789abcdef", count: 4096)
        let echo = Statement("SELECT $1::text", [text])
        let rows = try connection.run(Array(repeating: echo, count: 200) + (0..<5000).map(insert))
        #expect(rows.count == 5200)
        #expect(try rows[..<200].allSatisfy { try $0.first { try $0.next() as String } == text })
        #expect(try count == 5000)
    }

    @Test(
        "Any text stays as it is",
        arguments: [
            "", " ", "'", "''; DROP TABLE numbers --", #"\"#, #"\x41"#, "\n\r\t", "\u{1}\u{7F}", "é🧑‍🚀\u{10FFFF}", "$1",
            "%s", "{}",
        ])
    func texts(text: String) throws {
        let rows = try connection.run([
            Statement("INSERT INTO numbers VALUES (1, $1)", [text]), Statement("SELECT text FROM numbers"),
        ])
        let found: String? = try rows[1].first { try $0.next() }
        #expect(found.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }

    @Test("NULL is no empty text")
    func null() throws {
        let rows = try connection.run([Statement("SELECT $1::text, $2::text, $1::text IS NULL", [nil as String?, ""])])
        let row = try rows[0].first { (try $0.next() as String?, try $0.next() as String?, try $0.next() as Bool) }
        #expect(row?.0 == nil)
        #expect(row?.1 == "")
        #expect(row?.2 == true)
    }

    @Test("A text with NUL is rejected, and not cut off", arguments: ["\0", "ada\0", "\0ada", "a\0b"])
    func nul(text: String) throws {
        #expect(connection.failure(of: [insert(1), Statement("SELECT $1::text", [text])]) == .rejected)
        #expect(connection.failure(of: [Statement("SELECT $1::text[]", [TextArray(["a", text])])]) == .rejected)
        // Nothing was sent.
        #expect(try count == 0)
    }
}

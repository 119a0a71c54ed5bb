internal import Foundation
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("How long a connection waits")
struct TimeoutTests {
    private static let names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]

    private func settings(_ connection: PostgresConnection) throws -> [String] {
        try Self.names.map { try connection.one("SELECT current_setting($1)", [$0]) }
    }

    @Test("The server ends statements, waits for locks, and transactions that stand still")
    func server() throws {
        #expect(try settings(TestServer.connect(isUnhurried: false)) == ["5s", "100ms", "3s"])
    }

    @Test("A migration or a copy has no limits")
    func unhurried() throws { #expect(try settings(TestServer.connect()) == ["0", "0", "0"]) }

    @Test("A role, a database or a URL cannot change them")
    func others() throws {
        let options = Self.names.map { "-c\($0)%3D77s" }.joined(separator: "%20")
        let connection = try TestServer.connect(to: TestServer.url + "?options=" + options, isUnhurried: false)
        #expect(try settings(connection) == ["5s", "100ms", "3s"])
    }

    @Test("A job that has waited for a lock waits longer, in its transaction only")
    func patient() throws {
        let connection = try TestServer.connect(isUnhurried: false)
        let wait = Statement("SELECT current_setting('lock_timeout')")
        let rows = try connection.waitingLonger(true) { connection throws(PostgresFailure) in
            try connection.run([.begin, wait, .commit])
        }
        #expect(rows.count == 3)
        #expect(try rows[1].first { try $0.next() as String } == "500ms")
        #expect(try connection.one(wait.sql) as String == "100ms")
    }

    #if os(Linux)
        @Test("The system gives up a connection whose data stays unconfirmed")
        func system() throws {
            let connection = try TestServer.connect(patience: 7000)
            var (milliseconds, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            #expect(getsockopt(connection.socket, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, &size) == 0)
            #expect(milliseconds == 7000)
        }
    #endif
}

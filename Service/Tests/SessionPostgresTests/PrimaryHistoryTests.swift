internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("A primary that another one has replaced")
struct PrimaryHistoryTests {
    private let history = PrimaryHistory()
    private let old = Timeline(system: "7", number: 3)
    private let new = Timeline(system: "7", number: 16)

    @Test("It is refused, and its connections are not used any more")
    func replaced() {
        #expect(history.accepts(old, at: 0))
        #expect(!history.isReplaced(old))
        #expect(history.accepts(new, at: 1))
        #expect(history.isReplaced(old) && !history.isReplaced(new))
        #expect(!history.accepts(old, at: 2))
        #expect(history.accepts(new, at: 3))
    }

    /// Tries every ten seconds. Returns when the old one was accepted, and `nil` if it was not until the end.
    private func returning(from start: Int64, until end: Int64) -> Int64? {
        stride(from: start, through: end, by: 10_000).first { now in
            !history.accepts(old, at: now) && history.returns(to: old, at: now)
        }
    }

    @Test("It is used if the new one cannot be found for a minute: the manager of the servers has decided so")
    func decided() {
        #expect(history.accepts(new, at: 0))
        #expect(returning(from: 100_000, until: 200_000) == 160_000)
        #expect(!history.isReplaced(old))
        #expect(history.isReplaced(new), "a process never uses two primaries at a time")
        #expect(history.accepts(new, at: 160_001))
        #expect(history.isReplaced(old) && !history.isReplaced(new))
    }

    @Test("The minute begins again when the new one is found")
    func found() {
        #expect(history.accepts(new, at: 0))
        #expect(returning(from: 0, until: 30_000) == nil)
        #expect(history.accepts(new, at: 30_000))
        #expect(returning(from: 30_001, until: 200_000) == 90_001)
    }

    @Test("It is not used while an open connection of the process has answers from the new one")
    func answered() {
        #expect(history.accepts(new, at: 0))
        for now in stride(from: Int64(0), through: 300_000, by: 10_000) {
            history.answered(new, at: now)
            #expect(!history.returns(to: old, at: now))
        }
        history.answered(old, at: 310_000)
        #expect(returning(from: 310_000, until: 400_000) == 360_000)
    }

    @Test("A minute without attempts does not count: the new one may be back")
    func noAttempts() {
        #expect(history.accepts(new, at: 0))
        #expect(!history.returns(to: old, at: 1000))
        #expect(!history.returns(to: old, at: 100_000))
        #expect(returning(from: 110_000, until: 200_000) == 160_000)
    }

    @Test("A server with another identifier was not promoted from the same one: it is used")
    func otherSystem() {
        #expect(history.accepts(new, at: 0))
        #expect(history.accepts(Timeline(system: "8", number: 1), at: 1))
    }

    @Test("A connection to PostgreSQL has the timeline of the server")
    func timeline() throws {
        let connection = try TestServer.connect()
        let timeline = try #require(try connection.timeline())
        #expect(timeline.number == 1)
        #expect(history.accepts(timeline, at: 0))
        #expect(connection.using(timeline, of: history).isUsable)
        #expect(history.accepts(Timeline(system: timeline.system, number: 2), at: 1))
        #expect(!connection.isUsable)
        #expect(connection.failure(of: [Statement("SELECT 1")]) == .disconnected)
    }

    @Test("An older server that accepts writes is not used, even if the URL names it first")
    func connecting() throws {
        let server = PostgresServer(location: try PostgresLocation(try TestServer.url))
        let timeline = try #require(try server.connect(with: history, at: 0).timeline())
        let newer = Timeline(system: timeline.system, number: timeline.number + 1)
        #expect(history.accepts(newer, at: 0))
        for now in stride(from: Int64(1), to: 60_001, by: 10_000) {
            #expect(throws: PostgresFailure.self) { try server.connect(with: history, at: now) }
        }
        let connection = try server.connect(with: history, at: 60_001)
        #expect(connection.isUsable)
        connection.noteAnswer(70_000)
        #expect(!history.returns(to: Timeline(system: timeline.system, number: 0), at: 125_000))
        #expect(history.accepts(newer, at: 70_001))
        #expect(!connection.isUsable)
    }

    @Test("The hosts of a URL change their places together with their ports")
    func places() throws {
        let location = try PostgresLocation("postgresql://user@db1:5001,db2:5002,db3:5003/app?connect_timeout=3")
        #expect(location.hostCount == 3)
        let second = location.withFirstHostLast
        #expect(second.description == "postgresql://user@db2:5002,db3:5003,db1:5001/app")
        #expect(second.parameters["connect_timeout"] == "3")
        #expect(second.withFirstHostLast.withFirstHostLast == location)
        let samePort = try PostgresLocation("postgresql://db1,db2/app?port=6000")
        #expect(samePort.hostCount == 2)
        #expect(samePort.withFirstHostLast.description == "postgresql://db2:6000,db1:6000/app")
    }
}

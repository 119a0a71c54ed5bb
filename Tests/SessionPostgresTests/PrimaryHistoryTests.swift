internal import SessionDomain
internal import Testing

@testable import SessionPostgres

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

    @Test("It is used if the new one cannot be found for a minute: the manager of the servers has decided so")
    func decided() {
        #expect(history.accepts(new, at: 0))
        #expect(!history.accepts(old, at: 100_000))
        #expect(!history.accepts(old, at: 159_999))
        #expect(history.accepts(old, at: 160_000))
        #expect(!history.isReplaced(old))
        #expect(history.accepts(new, at: 160_001))
    }

    @Test("The minute begins again when the new one is found")
    func found() {
        #expect(history.accepts(new, at: 0))
        #expect(!history.accepts(old, at: 1))
        #expect(history.accepts(new, at: 30_000))
        #expect(!history.accepts(old, at: 60_001))
    }

    @Test("A server with another identifier was not promoted from the same one: it is used")
    func otherSystem() {
        #expect(history.accepts(new, at: 0))
        #expect(history.accepts(Timeline(system: "8", number: 1), at: 1))
    }

    @Test("A connection to PostgreSQL has the timeline of the server")
    func timeline() throws {
        let connection = try TestServer.connect()
        let timeline = try #require(connection.timeline)
        #expect(timeline.number == 1)
        connection.isReplaced = { true }
        #expect(!connection.isUsable)
        #expect(connection.failure(of: [Statement("SELECT 1")]) == .disconnected)
    }

    @Test("An older server that accepts writes is not used, even if the URL names it first")
    func connecting() throws {
        let server = PostgresServer(location: try PostgresLocation(try TestServer.url))
        let timeline = try #require(try server.connect(with: history, at: 0).timeline)
        #expect(history.accepts(Timeline(system: timeline.system, number: timeline.number + 1), at: 0))
        #expect(throws: PostgresFailure.self) { try server.connect(with: history, at: 1) }
        #expect(try server.connect(with: history, at: 60_001).isUsable)
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

internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("The index of events by actor", .timeLimit(.minutes(1)))
struct EventsByActorTests {
    @Test(
        "Events from before the index, and those of nodes of the version before, are found by their actor",
        arguments: [0, 3])
    func migrated(partitions: Int) async throws {
        let url = try TestServer.emptySchema(partitions: partitions)
        let app = try #require(AppID("testapp"))
        let context = EventContext(actor: .init(.managementKey, id: "mk_1", name: "backend"), userAgent: "\u{0}")
        let events = ["evt_1", "evt_2"].map { id in
            Event(
                id: id, appID: app, name: .userCreated, createdAt: Timestamp(seconds: 1), data: [:], context: context)
        }
        try await onOwnThread {
            // The creation of an index waits for transactions of all tests.
            let connection = try TestServer.connect(to: url, patience: 60_000)
            let earlier = Migration.all.filter { $0.number < Migration.eventsByActor.number }
            _ = try Migrator(connection: connection, migrations: earlier).migrate()
            _ = try connection.run(events[0].insertions(WriteOrder(.postgres, position: 0)))
            #expect(try Migrator(connection: connection).migrate().now == Migration.supported)
            _ = try connection.run(events[1].insertions(WriteOrder(.postgres, position: 1)))
        }
        var options = PoolOptions()
        options.size = 1
        let store = try PostgresStore.open(PostgresLocation(url), options: options)
        let found = try await store.events(EventQuery(app: app, actor: "mk_1", limit: 10))
        #expect(found.map { Set($0.map(\.id)) } == Set(events.map(\.id)))
        #expect(try await store.events(EventQuery(app: app, actor: "mk_2", limit: 10)) == [])
        await store.close()
    }

    @Test("The query has the expression of the index")
    func expression() throws {
        guard case .index(_, let target) = Migration.eventsByActor.work else {
            Issue.record("it is an index")
            return
        }
        #expect(target.contains("(app_id, (\(EventSelection.actorID)), created_at, sequence)"))
        #expect(target.hasSuffix("WHERE \(EventSelection.actorID) IS NOT NULL"))
    }
}
